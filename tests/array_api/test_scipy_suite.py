"""SciPy's own tests for namespaces of the array API, with `pullback.numpy`: somebody else's suite.

What SciPy computes of tensors goes through the standard's functions alone,
writes in place included.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import scipy

HERE = Path(__file__).parent

# How many tests there are at least, so that none runs by mistake.
SUITES = {
    "special/tests/test_logsumexp.py": 300,
    "fft/tests/test_basic.py": 50,
    "fft/tests/test_helper.py": 15,
    "integrate/tests/test_cubature.py": 200,
    "integrate/tests/test_quadrature.py": 200,
    "integrate/tests/test_tanhsinh.py": 250,
    "differentiate/tests/test_differentiate.py": 60,
    "stats/tests/test_entropy.py": 40,
    "stats/tests/test_quantile.py": 300,
    "stats/tests/test_correlation.py": 25,
    "cluster/tests/test_vq.py": 20,
    "constants/tests/test_constants.py": 3,
}


@pytest.mark.slow
@pytest.mark.parametrize("suite", SUITES)
def test_tests_of_scipy_pass(suite, tmp_path):
    path = Path(scipy.__file__).parent / suite
    if not path.exists():
        pytest.skip("this SciPy comes without its tests")
    done = subprocess.run(
        [sys.executable, str(HERE / "run_scipy.py"), "--rootdir", str(tmp_path), str(path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    passed = re.search(r"(\d+) passed", done.stdout)
    assert done.returncode == 0, done.stdout[-3000:]
    assert passed is not None
    assert int(passed[1]) >= SUITES[suite]
