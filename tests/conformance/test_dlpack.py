"""DLPack both ways, without copies; what requires grad stays here, what is saved is read-only."""

import numpy as np
import pytest

import pullback as pb
import pullback.numpy as pnp

DTYPES = [np.float32, np.float64, np.int64, np.int32, np.uint8, np.bool_]


@pytest.mark.parametrize("dtype", DTYPES)
def test_numpy_both_ways_shares_memory(engine, dtype):
    x = pb.tensor(np.arange(6).reshape(2, 3).astype(dtype))
    array = np.from_dlpack(x.T)
    assert array.dtype == dtype
    assert np.shares_memory(array, x.numpy())
    array[2, 1] = 0
    assert x.numpy()[1, 2] == 0
    back = pb.from_dlpack(array)
    assert back.shape == (3, 2)
    assert np.shares_memory(back.numpy(), x.numpy())
    assert pnp.from_dlpack(array).dtype == dtype


@pytest.mark.torch
@pytest.mark.parametrize("dtype", DTYPES)
def test_torch_both_ways_shares_memory(engine, dtype):
    import torch

    x = pb.tensor(np.arange(6).reshape(2, 3).astype(dtype))
    theirs = torch.from_dlpack(x)
    assert theirs.data_ptr() == x.numpy().ctypes.data
    theirs[0, 1] = 0
    assert x.numpy()[0, 1] == 0
    ours = pb.from_dlpack(theirs.T)
    assert ours.numpy().ctypes.data == theirs.data_ptr()
    ours[0, 0] = 1
    assert theirs[0, 0] == 1
    empty = pb.from_dlpack(torch.zeros(0, 3))
    assert empty.shape == (0, 3)


@pytest.mark.torch
def test_what_torch_can_not_give_is_refused(engine):
    import torch

    with pytest.raises(BufferError, match="gradient"):
        pb.from_dlpack(torch.ones(2, requires_grad=True))
    with pytest.raises(BufferError, match="can't become an array"):
        pb.from_dlpack(torch.ones(2, dtype=torch.bfloat16))


def test_a_tensor_that_requires_grad_is_not_exported(engine):
    w = pb.tensor([1.0, 2.0], requires_grad=True)
    for export in (np.from_dlpack, pb.from_dlpack, lambda x: x.__dlpack__(), lambda x: (x * 2).__dlpack__()):
        with pytest.raises(pb.errors.NotDifferentiableError, match=r"x\.detach\(\)"):
            export(w)
    assert np.from_dlpack(w.detach()).tolist() == [1.0, 2.0]


def test_what_a_backward_needs_is_exported_read_only(engine):
    w = pb.tensor([1.0, 2.0], requires_grad=True)
    x = pb.tensor([3.0, 4.0])
    y = (w * x).sum()
    assert not np.from_dlpack(x).flags.writeable
    with pytest.raises(BufferError, match=r"x\.copy\(\)"):
        x.__dlpack__()
    assert np.from_dlpack(x, copy=True).flags.writeable
    y.backward()
    assert np.from_dlpack(x).flags.writeable
    x.__dlpack__()


def test_memory_that_is_read_only_stays_so(engine):
    array = np.ones(3)
    array.flags.writeable = False
    x = pb.from_dlpack(array)
    with pytest.raises(pb.errors.MutationError, match="read-only"):
        x += 1
    assert not np.from_dlpack(x).flags.writeable


def test_the_arguments_of_the_protocol(engine):
    x = pb.tensor([1.0, 2.0])
    assert x.__dlpack_device__() == (1, 0)
    for version in (None, (0, 8), (1, 0), (2, 5)):
        assert "dltensor" in repr(x.__dlpack__(max_version=version, dl_device=(1, 0)))
    for arguments in ({"stream": 1}, {"dl_device": (2, 0)}):
        with pytest.raises(BufferError, match="cpu"):
            x.__dlpack__(**arguments)
    copied = np.from_dlpack(x, copy=True)
    copied[0] = 9.0
    assert np.shares_memory(np.from_dlpack(x, copy=False), x.numpy())
    assert x.numpy()[0] == 1.0
    assert np.from_dlpack(x, device="cpu").tolist() == [1.0, 2.0]


def test_of_a_tensor_of_ours_the_version_is_shared(engine):
    w = pb.tensor([1.0, 2.0], requires_grad=True)
    x = pb.tensor([3.0, 4.0])
    y = (w * x).sum()
    alias = pb.from_dlpack(x)
    alias += 1
    with pytest.raises(pb.errors.SavedVariableError):
        y.backward()
    assert pb.from_dlpack(x, copy=True)._version == 0


def test_what_is_no_array_is_refused(engine):
    with pytest.raises(TypeError, match="__dlpack__"):
        pb.from_dlpack([1.0])
    with pytest.raises(ValueError, match="cpu"):
        pb.from_dlpack(np.ones(2), device="cuda")
