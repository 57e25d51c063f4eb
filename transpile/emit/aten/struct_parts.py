"""Parts that the forward and the backward of a struct have in common."""

from __future__ import annotations

from ...ir import Param, Var
from ..torch.frame import Frame


class StructParts:
    """A formula as the struct has it: its arguments in their order, gradients, and what is saved.

    tensors, optional, attributes  parameters that are no lists, by kind; `arguments` is all in their order
    inputs      parameters that have a gradient, and `gradients` the variables of these
    cotangents  the names of incoming gradients
    likes       the outputs whose shape and dtype the backward reads
    types       the types of saved values, which the forward finds
    """

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.formula = frame.formula
        self.attributes = [param for param in frame.single if param.var.kind != "tensor"]
        tensors = [param for param in frame.single if param.var.kind == "tensor"]
        self.tensors = [param for param in tensors if not param.optional]
        self.optional = [param for param in tensors if param.optional]
        self.arguments = [*self.tensors, *frame.lists, *self.optional, *self.attributes]
        self.types: dict[Var, str] = {}  # of what is saved
        results = [part.block.results for part in frame.parts.all()]
        self.inputs = [
            param
            for k, param in enumerate(self.formula.inputs)
            if any(isinstance(found[k], Var) for found in results)
        ]
        self.cotangents = [var.name for var in self.formula.cotangents]
        self.gradients = {param: self._gradient(param) for param in self.inputs}
        self.likes = {k for part in frame.parts.all() for k in (*part.zeros, *part.absent)}

    def _gradient(self, param: Param) -> Var:
        taken = {*self.cotangents, *(var.name for var in self.frame.reads)}
        wanted = f"grad_{param.var.name}"
        if wanted in taken:
            return self.frame.namer.fresh(wanted, param.var.kind)
        return Var(wanted, param.var.kind)

    def saved_lists(self) -> list[Var]:
        """Lists whose lengths the backward reads."""
        saved = [var for var in self.frame.saved if var.kind == "list"]
        return list(dict.fromkeys([*(param.var for param in self.frame.lists), *saved]))
