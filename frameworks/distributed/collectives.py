"""The collective operators: each is linear, and its pullback is its transpose, another one.

Write the values of all processes one below the other, and an operator is a matrix of blocks: a row of ones
for `reduce`, a column for `broadcast`, both for `all_reduce`, a permutation for `all_to_all`, `send` and
`recv`. What flows back is the transpose times the gradients of all processes (Griewank and Walther,
Evaluating Derivatives, 2008, section 3.2).
"""

from __future__ import annotations

from ..engine.tensor.base import Tensor
from . import transport
from .collective import NEXT_ORDER, collective


@collective
def all_reduce(x, *, group=None):
    """The sum of `x` over all processes, in each of them.

    Parameters
    ----------
    x : array_like or torch.Tensor
        Of the same shape and dtype in each process.
    group : Group, mpi4py.MPI.Comm or torch.distributed.ProcessGroup, optional
        The processes; all of them if it is left out.

    Returns
    -------
    array_like or torch.Tensor
        Of the shape and dtype of `x`.

    Raises
    ------
    DistributedError
        The processes call different operators, or with other shapes; or one of them never comes.

    Examples
    --------
    >>> import numpy as np
    >>> from pullback import distributed
    >>> distributed.all_reduce(np.array([1.0, 2.0]), group=distributed.Alone())
    array([1., 2.])
    """
    return transport.total(x, group), lambda grad: all_reduce(grad, group=group)


@collective
def reduce(x, *, root: int = 0, group=None):
    """The sum of `x` over all processes, in the process `root`; zeros in the others.

    Parameters
    ----------
    x : array_like or torch.Tensor
        Of the same shape and dtype in each process.
    root : int, optional
        The rank of the process that has the sum.
    group : Group, mpi4py.MPI.Comm or torch.distributed.ProcessGroup, optional
        The processes; all of them if it is left out.

    Returns
    -------
    array_like or torch.Tensor
        Of the shape and dtype of `x`.

    Raises
    ------
    DistributedError
        The processes call different operators, or with other shapes; or one of them never comes.

    Examples
    --------
    >>> import numpy as np
    >>> from pullback import distributed
    >>> distributed.reduce(np.array([1.0, 2.0]), root=0, group=distributed.Alone())
    array([1., 2.])
    """
    return transport.total_at(x, root, group), lambda grad: broadcast(grad, root=root, group=group)


@collective
def broadcast(x, *, root: int = 0, group=None):
    """The value of `x` in the process `root`, in each process.

    Parameters
    ----------
    x : array_like or torch.Tensor
        Of the same shape and dtype in each process. The gradient is zero but in `root`.
    root : int, optional
        The rank of the process whose value it is.
    group : Group, mpi4py.MPI.Comm or torch.distributed.ProcessGroup, optional
        The processes; all of them if it is left out.

    Returns
    -------
    array_like or torch.Tensor
        Of the shape and dtype of `x`.

    Raises
    ------
    DistributedError
        The processes call different operators, or with other shapes; or one of them never comes.

    Examples
    --------
    >>> import numpy as np
    >>> from pullback import distributed
    >>> distributed.broadcast(np.array([1.0, 2.0]), root=0, group=distributed.Alone())
    array([1., 2.])
    """
    return transport.value_of(x, root, group), lambda grad: reduce(grad, root=root, group=group)


@collective
def all_gather(x, *, axis: int = 0, group=None):
    """The values of `x` of all processes, joined along an axis in the order of ranks.

    Parameters
    ----------
    x : array_like or torch.Tensor
        Of the same shape and dtype in each process, with at least one axis.
    axis : int, optional
        The axis along which they are joined.
    group : Group, mpi4py.MPI.Comm or torch.distributed.ProcessGroup, optional
        The processes; all of them if it is left out.

    Returns
    -------
    array_like or torch.Tensor
        Its length along `axis` is as many times that of `x` as there are processes.

    Raises
    ------
    DistributedError
        The processes call different operators, or with other shapes; or one of them never comes.

    Examples
    --------
    >>> import numpy as np
    >>> from pullback import distributed
    >>> distributed.all_gather(np.array([1.0, 2.0]), group=distributed.Alone())
    array([1., 2.])
    """
    return transport.joined(x, axis, group), lambda grad: reduce_scatter(grad, axis=axis, group=group)


@collective
def reduce_scatter(x, *, axis: int = 0, group=None):
    """A part of the sum of `x` over all processes: the first along `axis` for rank 0, and so on.

    Parameters
    ----------
    x : array_like or torch.Tensor
        Of the same shape and dtype in each process; the number of processes divides its length along `axis`.
    axis : int, optional
        The axis along which the sum is cut.
    group : Group, mpi4py.MPI.Comm or torch.distributed.ProcessGroup, optional
        The processes; all of them if it is left out.

    Returns
    -------
    array_like or torch.Tensor
        As `x`, but shorter along `axis`.

    Raises
    ------
    DistributedError
        The processes call different operators, or with other shapes; or one of them never comes.

    Examples
    --------
    >>> import numpy as np
    >>> from pullback import distributed
    >>> distributed.reduce_scatter(np.array([1.0, 2.0]), group=distributed.Alone())
    array([1., 2.])
    """
    return transport.part_of_total(x, axis, group), lambda grad: all_gather(grad, axis=axis, group=group)


@collective
def all_to_all(x, *, axis: int = 0, group=None):
    """Parts of `x` exchanged: the part with the number s goes to rank s, and what comes is joined by rank.

    Parameters
    ----------
    x : array_like or torch.Tensor
        Of the same shape and dtype in each process; the number of processes divides its length along `axis`.
    axis : int, optional
        The axis along which it is cut, and joined.
    group : Group, mpi4py.MPI.Comm or torch.distributed.ProcessGroup, optional
        The processes; all of them if it is left out.

    Returns
    -------
    array_like or torch.Tensor
        Of the shape and dtype of `x`.

    Raises
    ------
    DistributedError
        The processes call different operators, or with other shapes; or one of them never comes.

    Examples
    --------
    >>> import numpy as np
    >>> from pullback import distributed
    >>> distributed.all_to_all(np.array([1.0, 2.0]), group=distributed.Alone())
    array([1., 2.])
    """
    return transport.exchanged(x, axis, group), lambda grad: all_to_all(grad, axis=axis, group=group)


@collective
def send(x, after: Tensor | None = None, *, dest: int, tag: int = 0, group=None):
    """Zeros of the shape of `x`, which is sent to another process.

    The zeros stand for what was sent: add their sum to what is differentiated, and the gradient of `x` is
    received from the other process, where its own backward sends it.

    Parameters
    ----------
    x : array_like or torch.Tensor
        What is sent.
    after : array_like or torch.Tensor, optional
        Of the shape of `x`: what this call comes after. Its values are of no importance, and its gradient is
        zero; that it requires one has the message of the next order expected.
    dest : int
        The rank of the process that it is for, which calls `recv`.
    tag : int, optional
        A number below 1000 that tells messages apart.
    group : Group, mpi4py.MPI.Comm or torch.distributed.ProcessGroup, optional
        The processes; all of them if it is left out.

    Returns
    -------
    array_like or torch.Tensor
        Zeros, of the shape and dtype of `x`.

    Raises
    ------
    DistributedError
        The other process never comes.

    Examples
    --------
    >>> import numpy as np
    >>> from pullback import distributed
    >>> alone = distributed.Alone()
    >>> distributed.send(np.array([1.0, 2.0]), dest=0, group=alone)
    array([0., 0.])
    >>> distributed.recv(np.zeros(2), source=0, group=alone)
    array([1., 2.])
    """

    def send_pullback(grad):
        came = recv(grad, x, source=dest, tag=tag + NEXT_ORDER, group=group)
        return came, zeros_after(came, group=group)

    return transport.sent(x, dest, tag, group), send_pullback


@collective
def recv(like, after: Tensor | None = None, *, source: int, tag: int = 0, group=None):
    """The array that another process sends.

    Parameters
    ----------
    like : array_like or torch.Tensor
        Of the shape and dtype of what comes; its values are of no importance. Where it requires a gradient
        what comes does too, and its gradient is sent back; that of `like` is zero.
    after : array_like or torch.Tensor, optional
        As for `send`.
    source : int
        The rank of the process that calls `send`.
    tag : int, optional
        A number below 1000 that tells messages apart.
    group : Group, mpi4py.MPI.Comm or torch.distributed.ProcessGroup, optional
        The processes; all of them if it is left out.

    Returns
    -------
    array_like or torch.Tensor
        Of the shape and dtype of `like`.

    Raises
    ------
    DistributedError
        Something of another shape or dtype comes; or the other process never does.

    Examples
    --------
    >>> import numpy as np
    >>> from pullback import distributed
    >>> alone = distributed.Alone()
    >>> _ = distributed.send(np.array([1.0, 2.0]), dest=0, group=alone)
    >>> distributed.recv(np.zeros(2), source=0, group=alone)
    array([1., 2.])
    """

    def recv_pullback(grad):
        zeros = send(grad, like, dest=source, tag=tag + NEXT_ORDER, group=group)
        return zeros, zeros

    return transport.received(like, source, tag, group), recv_pullback


@collective
def zeros_after(x, *, group=None):
    """Zeros of the shape of `x` that depend on it: what comes of a message is expected, and adds nothing.

    Parameters
    ----------
    x : array_like or torch.Tensor
        What was received.
    group : Group, mpi4py.MPI.Comm or torch.distributed.ProcessGroup, optional
        The processes; all of them if it is left out.

    Returns
    -------
    array_like or torch.Tensor
        Zeros, of the shape and dtype of `x`.

    Examples
    --------
    >>> import numpy as np
    >>> from pullback import distributed
    >>> distributed.collectives.zeros_after(np.array([1.0, 2.0]), group=distributed.Alone())
    array([0., 0.])
    """
    return transport.zeros(x, group), lambda grad: zeros_after(grad, group=group)
