"""Printed CUDA compiled as C++ and run on one core, thread by thread, over `emulated.h`."""

import ctypes
import re
import subprocess
from pathlib import Path

import numpy as np

HEADER = Path(__file__).with_name("emulated.h")
BLOCKS = 3


class Emulated:
    """A device that runs the kernels of a text."""

    threads = 64

    def __init__(self, text, folder):
        names = re.findall(r"^PB_KERNEL (\w+)\(", text, re.MULTILINE)
        runs = [
            f'extern "C" void run_{name}(unsigned blocks, unsigned threads, void** arguments)'
            f" {{ emulated::run({name}, blocks, threads, arguments); }}"
            for name in names
        ]
        source, library = folder / "kernels.cpp", folder / "kernels.so"
        source.write_text("\n".join([f'#include "{HEADER}"', text, *runs]), encoding="utf-8")
        options = ["-std=c++20", "-O0", "-ffp-contract=off", "-Wall", "-Wextra", "-Wno-unused-parameter"]
        command = ["g++", *options, "-Werror", "-shared", "-fPIC", str(source), "-o", str(library)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        self.library = ctypes.CDLL(str(library))
        self.started = []

    def there(self, array):
        """The address of an array."""
        return array.ctypes.data

    def fetch(self):
        """Nothing: all memory is this one's."""

    def start(self, launch, variant):
        """Run a kernel."""
        name = f"{launch.kernel.decode()}_float{launch.bits}_{variant}"
        totals, arrived = (
            np.full(launch.totals_bytes, 255, np.uint8),
            np.zeros(launch.arrived_bytes, np.uint8),
        )
        if launch.work:
            launch.work.contents.totals = totals.ctypes.data
            launch.work.contents.arrived = arrived.ctypes.data
        blocks = launch.blocks if launch.joining else min(BLOCKS, launch.blocks)
        self._run(name, blocks, launch.threads, launch)
        assert not arrived.any()
        if launch.joining:
            joined = f"{name.removesuffix(variant)}joined"
            self._run(joined, launch.joining, self.threads, launch)

    def _run(self, name, blocks, threads, launch):
        getattr(self.library, f"run_{name}")(blocks, threads, launch.arguments)
        self.started.append(name)
