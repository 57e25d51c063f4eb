"""The second run of a checkpoint must compute what the first one did: what changed in between is an error."""

import numpy as np
import pytest

import pullback as pb

from .checkpoint_inputs import A, B, leaves


def test_what_changed_in_between_is_an_error(engine):
    a, b = leaves()
    c = pb.tensor(B)
    for changed, function in ((c, lambda a, c: a * c), (b, lambda a, c: a * b)):
        y = pb.checkpoint(function, a, c).sum()
        with pb.no_grad():
            changed += 1.0
        with pytest.raises(pb.errors.SavedVariableError, match=r"shape \(3,\).*changed in place"):
            y.backward()


def test_what_changed_in_between_is_an_error_though_nothing_saved_it(engine):
    a, b = leaves()
    read = b * 2
    view = read[:2]
    for function in (
        lambda a: np.sin(a) * read.mean(),
        lambda a: np.exp(a * view[0]),
        lambda a: a * np.concatenate([read, read]).sum(),
        lambda a: pb.checkpoint(lambda a: np.sin(a) * (read + 1), a),
    ):
        y = pb.checkpoint(function, a).sum()
        read.add_(1.0)
        with pytest.raises(pb.errors.SavedVariableError, match="that it reads was changed in place"):
            y.backward()


def test_what_changes_before_and_within_is_no_error(engine):
    def function(a):
        z = np.sin(a) * c
        z += c
        z[:1] *= 2.0
        return z * z

    a, b = leaves()
    c = b * 2
    c += 1.0
    y = pb.checkpoint(function, a).sum()
    d = c + 1.0
    d += 1.0
    for found, expected in zip(
        pb.grad(y * d.sum(), [a, b]), pb.grad(function(a).sum() * d.sum(), [a, b]), strict=True
    ):
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-12)


def test_a_function_that_computes_something_else_is_an_error(engine):
    calls = []

    def longer(a):
        calls.append(1)
        return np.sin(np.concatenate([a] * len(calls)))

    def shorter(a):
        calls.append(1)
        return np.exp(np.sin(a)) if len(calls) == 1 else np.sin(a)

    a, _ = leaves()
    with pytest.raises(pb.errors.CheckpointError, match=r"'longer'.*shape \(6,\).*instead of \(3,\)"):
        pb.checkpoint(longer, a).sum().backward()
    calls.clear()
    with pytest.raises(pb.errors.CheckpointError, match=r"'shorter'.*same each time"):
        pb.checkpoint(shorter, a).sum().backward()


def test_other_values_in_the_second_run_are_an_error(engine):
    drawn, statistic, plain = np.random.default_rng(1), pb.tensor(np.zeros(3)), np.zeros(3)

    def draws(a):
        return np.sin(a * drawn.random(3))

    def tracks(a):
        with pb.no_grad():
            statistic.mul_(0.9).add_(a.detach(), alpha=0.1)
        return np.sin(a) * statistic

    def tracks_an_array(a):
        plain[:] = 0.9 * plain + 0.1 * a.detach().numpy()
        return np.sin(a) * plain

    def tracks_twice(a):
        return pb.checkpoint(tracks, pb.checkpoint(tracks, a))

    for function in (draws, tracks, tracks_an_array, tracks_twice):
        a, _ = leaves()
        with pytest.raises(
            (pb.errors.CheckpointError, pb.errors.SavedVariableError), match=r"was recorded by pb\.checkpoint"
        ):
            pb.checkpoint(function, a).sum().backward()


def test_two_checkpoints_that_share_a_running_statistic(engine):
    statistic = pb.tensor(np.zeros(3))

    def normalized(a):
        with pb.no_grad():
            statistic.mul_(0.9).add_(a.detach(), alpha=0.1)
        return np.sin(a) - statistic * a

    a, _ = leaves()
    y = pb.checkpoint(normalized, a) + pb.checkpoint(normalized, np.cos(a))
    with pytest.raises(
        (pb.errors.CheckpointError, pb.errors.SavedVariableError), match="'normalized' was recorded by"
    ):
        y.sum().backward()
    assert a.grad is None


def test_a_statistic_that_no_derivative_reads_may_change(engine):
    statistic = pb.tensor(np.zeros(3))

    def tracks(a):
        with pb.no_grad():
            statistic.mul_(0.9).add_(a.detach(), alpha=0.1)
        return np.sin(a)

    a, _ = leaves()
    pb.checkpoint(tracks, pb.checkpoint(tracks, a)).sum().backward()
    np.testing.assert_allclose(a.grad, np.cos(np.sin(A)) * np.cos(A), rtol=1e-12)


def test_what_an_outer_function_writes_before_an_inner_one_reads_it(engine):
    def inner(y):
        return np.exp(y) * y

    def outer(a):
        y = a * 1.0
        y[0] = a.sum()
        z = pb.checkpoint(inner, y)
        z *= 2.0
        return z * z

    a, _ = leaves()
    found = []
    for y in (outer(a), pb.checkpoint(outer, a)):
        (first,) = pb.grad(y.sum(), a, create_graph=True)
        found.append([first.detach().numpy(), pb.grad(np.sin(first).sum(), a)[0].numpy()])
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("reads_more", [False, True])
def test_what_an_outer_function_writes_after_an_inner_one_read_it(engine, reads_more):
    def outer(a):
        y = a * 1.0
        z = pb.checkpoint(lambda y: np.exp(y) * y, y)
        y[0] = 0.0
        return z * np.sin(y) if reads_more else z

    a, _ = leaves()
    y = pb.checkpoint(outer, a).sum()
    if reads_more:  # the second run comes to the write
        with pytest.raises(pb.errors.SavedVariableError):
            y.backward()
        assert a.grad is None
    else:
        y.backward()
        np.testing.assert_allclose(a.grad, np.exp(A) * (A + 1), rtol=1e-12)
