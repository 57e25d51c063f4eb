"""Gradients that are refused, rather than wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from pullback.errors import PullbackError


class MissingDerivativeError(PullbackError, NotImplementedError):
    """A derivative that PyTorch's table says is missing, or a function that this package does not have."""


@dataclass(frozen=True)
class Missing:
    """A gradient that nobody has written. Who needs it asks `refuse` for the reason."""

    what: str

    def refuse(self) -> NoReturn:
        """Raise MissingDerivativeError."""
        raise MissingDerivativeError(f"the derivative for `{self.what}` is not implemented")


def not_implemented(what: str, *gradients: Any) -> Missing | None:
    """The gradient of an input that has none in the table: an error where it is needed.

    >>> not_implemented("igamma: input", 1.0)
    Missing(what='igamma: input')
    """
    return None if all(gradient is None for gradient in gradients) else Missing(what)
