"""Programs of loops compared with the Python that the reference engine runs, forward and backward."""

import numpy as np

from pullback.transpile.emit.python import forward_function
from pullback.transpile.emit.python_text import function_text
from pullback.transpile.ir import Var
from pullback.transpile.loops.device.interpreter import run


def reference(stage, namespace, values):
    """What the stage's formula computes of these values, by name, as emitted Python."""
    formula = stage.formula
    space = dict(namespace)
    exec(function_text(forward_function(formula, "stage"), formula.source), space)
    return space["stage"](*(values[param.var.name] for param in formula.params))


def compare(stages, namespace, inputs, dtype, seed=0):
    """Run every stage both ways, each on what the one before gives, with random cotangents."""
    rng = np.random.default_rng(seed)
    values = dict(inputs)
    shapes = {name: np.shape(value) for name, value in inputs.items()}
    near = {"float32": 2e-4, "float64": 1e-9}[dtype]
    for place, stage in enumerate(stages):
        with np.errstate(all="ignore"):
            expected = reference(stage, namespace, values)
        program = stage.program
        arrays = {b.name: np.asarray(values[b.name]) for b in program.buffers if b.role == "input"}
        found = run(program, arrays, {name: values[name] for name in program.scalars}, shapes)
        for name, ours, theirs in zip(program.results, found, expected, strict=True):
            if name:
                assert np.shape(ours) == np.shape(theirs), (program.name, name)
                np.testing.assert_allclose(
                    ours, theirs, rtol=near, atol=near, err_msg=f"{program.name}: {name}"
                )
                if isinstance(ours, np.ndarray):
                    assert ours.dtype == np.asarray(theirs).dtype, (program.name, name)
        for atom, value in zip(stage.results, expected, strict=True):
            if isinstance(atom, Var):
                values[atom.name] = value
        if place + 1 < len(stages):
            known = set(values)
            for param in stages[place + 1].formula.params:
                if param.var.name not in known or param.var in stage.formula.cotangents:
                    index = stage.formula.cotangents.index(param.var)
                    like = np.asarray(expected[index])
                    values[param.var.name] = rng.standard_normal(like.shape).astype(like.dtype)
