"""Programs run in several processes."""

import os
import subprocess
import sys
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"
EXAMPLES = Path(__file__).parents[3] / "examples" / "distributed"
LIMIT = 240  # seconds


def over_mpi(size, program, *arguments):
    """What so many processes of a program print, and its exit status."""
    command = [Path(sys.executable).with_name("mpiexec"), "-n", str(size), "--oversubscribe"]
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    run = subprocess.run(
        [*command, sys.executable, "-W", "error", "-m", "mpi4py", program, *arguments],
        env=os.environ | allowed | {"OMP_NUM_THREADS": "1"},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=LIMIT,
    )
    return run.stdout, run.returncode


def over_gloo(size, file, program, *arguments):
    """What each of so many processes of a program prints; they meet in a file."""
    command = [sys.executable, "-W", "error", program, *arguments]
    running = [
        subprocess.Popen(
            [*command, str(rank), str(size), str(file)],
            env=os.environ | {"OMP_NUM_THREADS": "1"},
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        for rank in range(size)
    ]
    try:
        return [process.communicate(timeout=LIMIT)[0] for process in running]
    finally:
        for process in running:
            process.kill()
