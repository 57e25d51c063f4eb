"""Losses of sequences: connectionist temporal classification."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import numpy as pnp
from ..engine.primitives.plumbing import stop_gradient
from .arguments import floats, integers, values


def ctc_loss(
    log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int = 0,
    reduction: str = "mean", zero_infinity: bool = False,
) -> Any:  # fmt: skip
    """-log of the probability that a sequence with blanks and repetitions is the target, as torch's.

    log_probs        (T, N, C), or (T, C) of one sequence: logarithms of probabilities
    targets          (N, S) integers, or all of them one after the other; none is the blank
    input_lengths    (N): of each sequence, at most T
    target_lengths   (N): of each target, at most S
    reduction        "none"; "sum"; or "mean", of losses over the targets' lengths
    zero_infinity    a target that has no room counts as 0, not as infinity, without a gradient

    A. Graves and others, "Connectionist Temporal Classification" (2006): the forward variables, whose
    derivatives are those of sums and logarithms, of any order. ValueError for other shapes, lengths and
    integers.

    >>> import numpy as np
    >>> halves = np.log(np.full((2, 2), 0.5))
    >>> round(ctc_loss(halves, np.array([1]), np.array(2), np.array(1)).item(), 4)  # 1 1, 1 -, - 1
    0.2877
    """
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"reduction is 'none', 'mean' or 'sum', not {reduction!r}")
    x = floats(log_probs, "ctc_loss")
    alone = x.ndim == 2
    x = pnp.expand_dims(x, 1) if alone else x
    if x.ndim != 3 or not x.shape[0]:
        raise ValueError(f"ctc_loss takes log_probs (T, N, C) or (T, C), not of shape {tuple(x.shape)}")
    steps, batch, classes = x.shape
    times, lengths, labels = _checked(
        steps, batch, classes, targets, input_lengths, target_lengths, blank, alone
    )
    losses = -_log_probability(x, labels, times, lengths, blank)
    if zero_infinity:
        losses = pnp.where(pnp.isinf(losses), 0, losses)
    if reduction == "mean":
        return pnp.mean(losses / np.maximum(lengths, 1).astype(x.dtype))
    if reduction == "sum":
        return pnp.sum(losses)
    return losses[0] if alone else losses


def _checked(
    steps: int, batch: int, classes: int, targets: Any, input_lengths: Any, target_lengths: Any, blank: int,
    alone: bool,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """Lengths of inputs and targets, and the targets padded to one length."""
    labels, times, lengths = (
        np.asarray(values(integers(value, "ctc_loss"))) for value in (targets, input_lengths, target_lengths)
    )
    if alone:
        times, lengths, labels = times.reshape(-1), lengths.reshape(-1), labels.reshape(1, -1)
    if times.shape != (batch,) or lengths.shape != (batch,):
        raise ValueError(
            f"ctc_loss takes lengths of {batch} sequences, not {times.shape} and {lengths.shape}"
        )
    if not 0 <= blank < classes:
        raise ValueError(f"ctc_loss: blank {blank} is none of the {classes} classes")
    if times.min(initial=1) < 1 or times.max(initial=1) > steps:
        raise ValueError(f"ctc_loss: input_lengths are 1 to {steps}, not {times.tolist()}")
    if labels.ndim == 1:
        if lengths.sum() != labels.size:
            raise ValueError(f"ctc_loss: target_lengths sum to {lengths.sum()}, not to {labels.size}")
        parts = np.split(labels, np.cumsum(lengths)[:-1])
        labels = np.stack([np.pad(part, (0, max(lengths) - part.size)) for part in parts])
    if labels.ndim != 2 or len(labels) != batch:
        raise ValueError(f"ctc_loss takes targets ({batch}, S) or one after the other, not {labels.shape}")
    if lengths.min(initial=0) < 0 or lengths.max(initial=0) > labels.shape[1]:
        raise ValueError(f"ctc_loss: target_lengths are 0 to {labels.shape[1]}, not {lengths.tolist()}")
    used = np.arange(labels.shape[1]) < lengths[:, None]
    if np.any(used & ((labels < 0) | (labels >= classes) | (labels == blank))):
        raise ValueError(f"ctc_loss: a target is outside of the {classes} classes, or the blank")
    return times, lengths, np.where(used, labels, blank)


def _log_probability(x: Any, labels: Any, times: Any, lengths: Any, blank: int) -> Any:
    """The logarithm of each target's probability: Graves and others, equations 6 to 8."""
    steps, batch, _ = x.shape
    # Blanks before, between and after the labels.
    spread = np.full((batch, 2 * labels.shape[1] + 1), blank)
    spread[:, 1::2] = labels
    skips = np.zeros(spread.shape, bool)  # where the blank before may be left out
    skips[:, 2:] = (spread[:, 2:] != blank) & (spread[:, 2:] != spread[:, :-2])
    scores = pnp.take_along_axis(x, np.broadcast_to(spread, (steps, *spread.shape)), -1)
    never = np.full((batch, 2), -np.inf, x.dtype)
    begins = np.arange(spread.shape[1]) < np.where(lengths, 2, 1)[:, None]
    forward = pnp.where(begins, scores[0], -np.inf)
    for t in range(1, steps):
        before = pnp.concatenate([never, forward], axis=1)
        two = pnp.where(skips, before[:, :-2], -np.inf)
        stepped = scores[t] + _log_sum(pnp.stack([forward, before[:, 1:-1], two]))
        forward = pnp.where((t < times)[:, None], stepped, forward)
    ends = np.stack([2 * lengths, np.maximum(2 * lengths - 1, 0)], axis=1)
    last = pnp.take_along_axis(forward, ends, 1)
    last = pnp.where(np.stack([lengths >= 0, lengths > 0], axis=1), last, -np.inf)
    return _log_sum(pnp.moveaxis(last, 1, 0))


def _log_sum(x: Any) -> Any:
    """log(sum(exp(x))) along the first axis, with no gradient where all are -inf."""
    most = stop_gradient(pnp.max(x, axis=0))
    most = pnp.where(pnp.isinf(most), 0, most)
    total = pnp.sum(pnp.exp(x - most), axis=0)
    none = pnp.equal(total, 0)
    return pnp.where(none, -np.inf, pnp.log(pnp.where(none, 1, total)) + most)
