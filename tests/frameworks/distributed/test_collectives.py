"""Collective operators: to third order as in one process, over MPI and torch.distributed; refusals."""

import numpy as np
import pytest

import pullback as pb
from pullback import distributed
from tests.sampling import sampled

from .processes import EXAMPLES, PROGRAMS, over_gloo, over_mpi

LINEAR = ["all_reduce", "reduce", "broadcast", "all_gather", "reduce_scatter", "all_to_all"]


@pytest.mark.parametrize("name", LINEAR)
def test_alone_each_is_the_identity(engine, name):
    alone, operator = distributed.Alone(), getattr(distributed, name)
    x = np.array([[0.3, -1.2], [0.7, 2.0]])
    assert pb.gradcheck(lambda x: np.sin(operator(np.exp(x), group=alone)), x, order=3)
    np.testing.assert_array_equal(operator(x, group=alone), x)


def test_a_message_to_itself_carries_its_gradient_back(engine):
    alone = distributed.Alone()
    x = pb.tensor([0.5, 2.0], requires_grad=True)
    like = pb.tensor(np.zeros(2), requires_grad=True)
    sent = distributed.send(x * x, dest=0, group=alone)
    came = distributed.recv(like, source=0, group=alone)
    dx, _ = pb.grad(np.sum(came**2) + np.sum(sent), [x, like])
    np.testing.assert_allclose(dx.numpy(), [4 * 0.5**3, 4 * 2.0**3])


def test_forward_mode(engine):
    alone = distributed.Alone()
    with pb.forward_ad.dual_level():
        dual = pb.forward_ad.make_dual(pb.tensor([1.0, 2.0]), pb.tensor([3.0, 4.0]))
        tangent = pb.forward_ad.unpack_dual(distributed.all_reduce(dual, group=alone)).tangent
    np.testing.assert_array_equal(tangent.numpy(), [3.0, 4.0])


@pytest.mark.parametrize(
    ("size", "engine_name"),
    [
        pytest.param(2, "reference", marks=pytest.mark.slow),
        pytest.param(2, "native", marks=pytest.mark.slow),
        (3, "native"),
    ],
)
def test_over_mpi_to_third_order(size, engine_name):
    printed, status = over_mpi(size, PROGRAMS / "collectives.py", "mpi", engine_name)
    assert status == 0, printed
    for rank in range(size):
        assert f"rank {rank} of {size}: right" in printed


def test_over_gloo_to_third_order(tmp_path):
    for rank, printed in enumerate(over_gloo(2, tmp_path / "meet", PROGRAMS / "collectives.py", "gloo")):
        assert f"rank {rank} of 2: right" in printed, printed


def test_processes_that_call_different_operators_are_told(tmp_path):
    printed, status = over_mpi(2, PROGRAMS / "refusals.py")
    assert status == 0, printed
    assert "rank 0: refused" in printed
    assert "rank 1: refused" in printed


def test_a_process_waits_no_longer_than_the_timeout():
    printed, _ = over_mpi(2, PROGRAMS / "refusals.py", "late")
    assert "rank 0: waited no longer" in printed, printed


def test_a_process_that_dies_ends_the_program():
    printed, status = over_mpi(2, PROGRAMS / "refusals.py", "dies")
    assert status != 0
    assert "RuntimeError: this process ends here" in printed


@pytest.mark.parametrize("what", ["dies", pytest.param("late", marks=pytest.mark.slow)])
def test_over_gloo_a_process_that_ends_or_never_comes_is_an_error(what, tmp_path):
    assert "rank 0: told" in over_gloo(2, tmp_path / "meet", PROGRAMS / "torch_ends.py", what)[0]


@pytest.mark.slow
def test_registered_operators_train_in_ddp_and_fsdp(tmp_path):
    for rank, printed in enumerate(over_gloo(2, tmp_path / "meet", PROGRAMS / "torch_training.py")):
        assert f"rank {rank} of 2: right" in printed, printed


@pytest.mark.slow
def test_transforms_of_torch_are_refused_by_the_name_of_the_operator(tmp_path):
    for rank, printed in enumerate(over_gloo(2, tmp_path / "meet", PROGRAMS / "torch_transforms.py")):
        assert f"rank {rank} of 2: refused 15" in printed, printed


@pytest.mark.parametrize("name", sampled(["tensor_parallel", "data_parallel", "pipeline"], 3))
def test_examples_equal_their_twins_in_one_process(name):
    printed, status = over_mpi(2, EXAMPLES / f"{name}.py")
    assert status == 0, printed
    parallel, single = printed.split("loss")[1].replace(",", "").split(" in one ")
    assert parallel.split()[-1] == single.split()[0]


def test_every_example_is_tested():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {"data_parallel", "tensor_parallel", "pipeline"}
