"""Printed CUDA compiled as C++ and run on one core, thread by thread, over `emulated.h`."""

import ctypes
import re
import subprocess
from pathlib import Path

import numpy as np

from pullback.transpile.loops.interpreter import run

from .host import Work, started

HEADER = Path(__file__).with_name("emulated.h")
THREADS, BLOCKS = 64, 3


class Emulated:
    """The kernels of a text."""

    def __init__(self, text, folder):
        names = re.findall(r"^PB_KERNEL (\w+)\(", text, re.MULTILINE)
        runs = [
            f'extern "C" void run_{name}(unsigned blocks, unsigned threads, void** arguments)'
            f" {{ emulated::run({name}, blocks, threads, arguments); }}"
            for name in names
        ]
        source, library = folder / "kernels.cpp", folder / "kernels.so"
        source.write_text("\n".join([f'#include "{HEADER}"', text, *runs]), encoding="utf-8")
        options = ["-std=c++20", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Wno-unused-parameter"]
        command = ["g++", *options, "-Werror", "-shared", "-fPIC", str(source), "-o", str(library)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        self.library = ctypes.CDLL(str(library))

    def run(self, program, arguments, wide=False):
        """The outputs of a program, by number; `wide` with indices of 64 bits."""

        def launch(statement, value):
            how = started(statement, program, value, THREADS)
            if not how.space.groups:
                return
            totals = np.full(max(1, how.slots * how.space.parts), np.nan)
            arrived = np.zeros(max(1, how.slots), np.uint32)
            work = Work(totals.ctypes.data, arrived.ctypes.data)
            pointers = [ctypes.c_void_p(view.ctypes.data) for view in how.views]
            values = [how.space, *pointers, *how.numbers, work]
            given = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
            dtype = np.dtype(arguments.float_type).name
            suffix = "i32" if how.is_small and not wide else "i64"
            getattr(self.library, f"run_{statement.name}_{dtype}_{suffix}")(BLOCKS, THREADS, given)
            assert not arrived.any()

        return run(program, arguments, launch)
