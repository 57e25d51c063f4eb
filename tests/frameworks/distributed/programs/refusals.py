"""What processes that don't agree get: an error that says what each calls, in each of them."""

import sys
import time

import numpy as np
import pytest

from pullback import distributed as d

group = d.MPIGroup(timeout=60.0)
other = 1 - group.rank

DIFFERENT = r"(?s)rank 0: all_reduce\(<float64 of shape \(2,\)>\)\n  rank 1: .*\(3,\)"
with pytest.raises(d.DistributedError, match=DIFFERENT):
    d.all_reduce(np.zeros(2 + group.rank), group=group)
DIFFERENT = r"(?s)rank 0: reduce\(.*root=0\)\n  rank 1: broadcast\(.*root=0\)"
with pytest.raises(d.DistributedError, match=DIFFERENT):
    (d.broadcast if group.rank else d.reduce)(np.zeros(2), group=group)
d.send(np.zeros(2), dest=other, group=group)
UNLIKE = r"shape \(2,\) and dtype float64, and like is of shape \(2,\) and dtype float32"
with pytest.raises(d.DistributedError, match=UNLIKE):
    d.recv(np.zeros(2, np.float32), source=other, group=group)
with pytest.raises(ValueError, match="send: dest=2, and the ranks of the group are 0 to 1"):
    d.send(np.zeros(2), dest=2, group=group)
with pytest.raises(ValueError, match="send: tag=1000: give one from 0 to 999"):
    d.send(np.zeros(2), dest=other, tag=1000, group=group)
with pytest.raises(ValueError, match=r"reduce_scatter: 2 processes don't divide the length 3 of axis 0"):
    d.reduce_scatter(np.zeros(3), group=group)
with pytest.raises(ValueError, match=r"all_gather: axis=0 of an array of shape \(\); give it an axis"):
    d.all_gather(np.zeros(()), group=group)
with pytest.raises(TypeError, match=r"all_reduce: MPI has no equal of float16.*astype"):
    d.all_reduce(np.zeros(2, np.float16), group=group)

# Both are well after all of these.
np.testing.assert_array_equal(d.all_reduce(np.ones(2), group=group), [2.0, 2.0])
np.testing.assert_array_equal(d.all_reduce(np.ones(2, ">f8"), group=group), [2.0, 2.0])
print(f"rank {group.rank}: refused", flush=True)
if sys.argv[1:] == ["late"]:
    if group.rank == 0:
        began = time.monotonic()
        with pytest.raises(d.DistributedError, match=r"all_reduce: rank 0 of 2 waited 0\.2 s for the other"):
            d.all_reduce(np.ones(2), group=d.MPIGroup(timeout=0.2))
        assert time.monotonic() - began < 10.0
        print("rank 0: waited no longer", flush=True)
    else:
        time.sleep(20.0)
elif sys.argv[1:] == ["dies"]:
    if group.rank == 0:
        d.all_reduce(np.ones(2), group=group)
    raise RuntimeError("this process ends here")
