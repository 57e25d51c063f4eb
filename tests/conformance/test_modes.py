"""Grad modes and the choice of an engine: per thread, per task, as manager and decorator."""

import asyncio
import threading

import numpy as np
import pytest

import pullback as pb
from pullback.engine.core import dispatch


def test_no_grad_and_enable_grad_nest(engine):
    x = pb.tensor(1.0, requires_grad=True)
    with pb.no_grad():
        assert not (x * x).requires_grad
        with pb.enable_grad():
            assert (x * x).requires_grad
        assert not pb.is_grad_enabled()
    assert (x * x).requires_grad


def test_as_decorators(engine):
    x = pb.tensor(1.0, requires_grad=True)

    @pb.no_grad()
    def silent(depth):
        return silent(depth - 1) if depth else x * x

    @pb.enable_grad()
    def recorded():
        return x * x

    assert not silent(3).requires_grad
    with pb.no_grad():
        assert recorded().requires_grad
    assert pb.is_grad_enabled()


def test_a_decorated_coroutine_keeps_its_mode_while_it_waits(engine):
    @pb.no_grad()
    async def quiet():
        await asyncio.sleep(0)
        return pb.is_grad_enabled()

    assert asyncio.run(quiet()) is False


def test_a_decorated_generator_keeps_its_mode_and_its_caller_his_own(engine):
    @pb.no_grad()
    def modes():
        try:
            sent = yield pb.is_grad_enabled()
            yield sent, pb.is_grad_enabled()
        except KeyError:
            yield "caught", pb.is_grad_enabled()
        finally:
            ended.append(pb.is_grad_enabled())
        return "returned"

    ended = []
    steps = modes()
    assert next(steps) is False
    assert pb.is_grad_enabled()
    assert steps.send(3) == (3, False)
    with pytest.raises(StopIteration, match="returned"):
        next(steps)
    steps = modes()
    next(steps)
    assert steps.throw(KeyError) == ("caught", False)
    steps.close()
    assert ended == [False, False]
    assert pb.is_grad_enabled()


def test_an_asynchronous_generator_is_not_decorated():
    async def generator():
        yield 1

    with pytest.raises(TypeError, match="generator is an asynchronous generator"):
        pb.no_grad()(generator)


def test_decorators_without_parentheses(engine):
    @pb.no_grad
    def silent():
        """Doc."""
        return pb.is_grad_enabled()

    @pb.enable_grad
    def recorded():
        return pb.is_grad_enabled()

    @pb.inference_mode
    def inferred():
        return pb.is_inference_mode_enabled()

    assert silent() is False
    assert silent.__doc__ == "Doc."
    with pb.no_grad():
        assert recorded() is True
    assert inferred() is True


def test_set_grad_enabled_as_a_call_a_manager_and_a_decorator(engine):
    x = pb.tensor(1.0, requires_grad=True)
    pb.set_grad_enabled(False)
    try:
        assert not (x * x).requires_grad
        with pb.set_grad_enabled(True):
            assert (x * x).requires_grad
        assert not pb.is_grad_enabled()
    finally:
        pb.set_grad_enabled(True)

    @pb.set_grad_enabled(False)
    def silent():
        return pb.is_grad_enabled()

    assert pb.is_grad_enabled()
    assert not silent()
    assert pb.is_grad_enabled()


def test_an_exception_ends_a_mode(engine):
    with pytest.raises(KeyError), pb.no_grad(), pb.inference_mode():
        raise KeyError
    assert pb.is_grad_enabled()
    assert not pb.is_inference_mode_enabled()


def test_mode_belongs_to_the_thread(engine):
    seen = []
    with pb.no_grad():
        thread = threading.Thread(target=lambda: seen.append(pb.is_grad_enabled()))
        thread.start()
        thread.join()
    assert seen == [True]


def test_mode_and_engine_belong_to_the_task(engine):
    async def quiet():
        with pb.no_grad(), pb.use_engine("reference"):
            await asyncio.sleep(0.01)
            return pb.is_grad_enabled(), dispatch.current().name

    async def loud():
        await asyncio.sleep(0.005)
        return pb.is_grad_enabled(), dispatch.current().name

    async def both():
        return await asyncio.gather(quiet(), loud())

    assert asyncio.run(both()) == [(False, "reference"), (True, engine)]


def test_use_engine_as_call_and_manager(engine):
    with pb.use_engine("reference"):
        x = pb.tensor(1.0)
    assert type(x) is dispatch.load("reference").Tensor
    assert type(pb.tensor(1.0)) is dispatch.load(engine).Tensor
    assert isinstance(x, pb.Tensor)
    assert isinstance(pb.tensor(1.0), pb.Tensor)
    assert not isinstance(np.zeros(1), pb.Tensor)


def test_unknown_engine():
    with pytest.raises(pb.errors.EngineUnavailableError, match="no engine 'abacus'"):
        pb.use_engine("abacus")


@pytest.mark.native
def test_engines_do_not_mix():
    if "native" not in dispatch.available():
        pytest.skip("the native engine is not built here")
    made = []
    for name in ("reference", "native"):
        with pb.use_engine(name):
            made.append(pb.tensor([1.0, 2.0], requires_grad=True))
    reference, native = made
    for mix in (
        lambda: reference + native,
        lambda: native + reference,
        lambda: np.concatenate([reference, native]),
        lambda: pb.grad((reference * 2).sum(), native),
        lambda: pb.grad((native * 2).sum(), [native, reference]),
        lambda: (native * 2).backward(reference),
        lambda: (native * 2).sum().backward(inputs=reference),
    ):
        with pytest.raises(pb.errors.EngineMismatchError, match="engine"):
            mix()


def test_backward_of_a_plain_order_records_nothing(engine):
    modes = []
    x = pb.tensor(1.0, requires_grad=True)
    y = x * x
    y.register_hook(lambda grad: modes.append(pb.is_grad_enabled()))
    pb.grad(y, x, retain_graph=True)
    pb.grad(y, x, create_graph=True)
    assert modes == [False, True]
