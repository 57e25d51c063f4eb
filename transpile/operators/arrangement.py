"""Words that arrange, repeat, select and join entries."""

from __future__ import annotations

from .info import OperatorInfo

OPERATORS: tuple[OperatorInfo, ...] = (
    OperatorInfo(
        "reshape", "numpy.reshape", ("a",), ("shape",), linear=(0,), view=True, methods=("reshape",)
    ),
    OperatorInfo(
        "transpose",
        "numpy.transpose",
        ("a",),
        ("axes",),
        linear=(0,),
        view=True,
        spelling=("numpy.permute_dims",),
        methods=("transpose",),
    ),
    OperatorInfo(
        "swapaxes",
        "numpy.swapaxes",
        ("a",),
        ("axis1", "axis2"),
        linear=(0,),
        view=True,
        methods=("swapaxes",),
    ),
    OperatorInfo("moveaxis", "numpy.moveaxis", ("a",), ("source", "destination"), linear=(0,), view=True),
    OperatorInfo("flip", "numpy.flip", ("a",), ("axis",), linear=(0,), view=True),
    OperatorInfo("roll", "numpy.roll", ("a",), ("shift", "axis"), linear=(0,)),
    OperatorInfo("repeat", "numpy.repeat", ("a",), ("repeats", "axis"), linear=(0,), methods=("repeat",)),
    OperatorInfo("sum_repeats", "pullback.sum_repeats", ("a",), ("repeats", "axis", "shape"), linear=(0,)),
    OperatorInfo("tile", "numpy.tile", ("A",), ("reps",), linear=(0,)),
    OperatorInfo("sum_tiles", "pullback.sum_tiles", ("a",), ("reps", "shape"), linear=(0,)),
    OperatorInfo(
        "diagonal",
        "numpy.diagonal",
        ("a",),
        ("offset", "axis1", "axis2"),
        linear=(0,),
        view=True,
        methods=("diagonal",),
    ),
    OperatorInfo(
        "undiagonal", "pullback.undiagonal", ("a",), ("offset", "axis1", "axis2", "shape"), linear=(0,)
    ),
    OperatorInfo(
        "trace", "numpy.trace", ("a",), ("offset", "axis1", "axis2"), linear=(0,), methods=("trace",)
    ),
    OperatorInfo("tril", "numpy.tril", ("m",), ("k",), linear=(0,)),
    OperatorInfo("triu", "numpy.triu", ("m",), ("k",), linear=(0,)),
    OperatorInfo("flatten_axes", "pullback.flatten_axes", ("a",), ("axis",), linear=(0,)),
    OperatorInfo("unflatten_axes", "pullback.unflatten_axes", ("a",), ("axis", "shape"), linear=(0,)),
    OperatorInfo("broadcast_to", "numpy.broadcast_to", ("array",), ("shape",), linear=(0,), view=True),
    OperatorInfo("expand_dims", "numpy.expand_dims", ("a",), ("axis",), linear=(0,), view=True),
    OperatorInfo("squeeze", "numpy.squeeze", ("a",), ("axis",), linear=(0,), view=True, methods=("squeeze",)),
    OperatorInfo("getitem", "operator.getitem", ("a",), ("index",), linear=(0,), view=True),
    OperatorInfo("take_along_axis", "numpy.take_along_axis", ("arr",), ("indices", "axis"), linear=(0,)),
    OperatorInfo("put_along", "pullback.put_along", ("a",), ("indices", "axis", "shape"), linear=(0,)),
    OperatorInfo(
        "index_put",
        "pullback.index_put",
        ("a", "value"),
        ("index", "repeated"),
        linear=(0, 1),
        jointly=True,
    ),
    OperatorInfo(
        "last_written", "pullback.last_written", (), ("index", "shape"), derivative="zero", dtype="bool"
    ),
    OperatorInfo("unslice", "pullback.unslice", ("a",), ("index", "shape"), linear=(0,)),
    OperatorInfo("take_region", "pullback.take_region", ("a",), ("region",), linear=(0,)),
    OperatorInfo("spread_region", "pullback.spread_region", ("a",), ("region",), linear=(0,)),
    OperatorInfo("clear_region", "pullback.clear_region", ("a",), ("region",), linear=(0,)),
    OperatorInfo(
        "concatenate",
        "numpy.concatenate",
        ("arrays",),
        ("axis",),
        linear=(0,),
        jointly=True,
        variadic=True,
        spelling=("numpy.concat",),
    ),
    OperatorInfo("stack", "numpy.stack", ("arrays",), ("axis",), linear=(0,), jointly=True, variadic=True),
    OperatorInfo("vstack", "numpy.vstack", ("tup",), (), linear=(0,), jointly=True, variadic=True),
    OperatorInfo("hstack", "numpy.hstack", ("tup",), (), linear=(0,), jointly=True, variadic=True),
    OperatorInfo("collect", "pullback.collect", ("arrays",), (), linear=(0,), jointly=True, variadic=True),
    OperatorInfo(
        "collect_flat", "pullback.collect_flat", ("arrays",), (), linear=(0,), jointly=True, variadic=True
    ),
    OperatorInfo(
        "split_like", "pullback.split_like", ("x",), ("likes", "axis"), linear=(0,), gives_list=True
    ),
    OperatorInfo(
        "join_like",
        "pullback.join_like",
        ("arrays",),
        ("like", "axis"),
        linear=(0,),
        jointly=True,
        variadic=True,
    ),
    OperatorInfo("unitem", "pullback.unitem", ("a",), ("index", "likes"), linear=(0,), gives_list=True),
    OperatorInfo("zeros_list", "pullback.zeros_list", (), ("likes",), derivative="zero", gives_list=True),
    OperatorInfo(
        "appended",
        "pullback.appended",
        ("values", "x"),
        linear=(0, 1),
        jointly=True,
        gives_list=True,
    ),
    OperatorInfo("without_last", "pullback.without_last", ("values",), linear=(0,), gives_list=True),
    OperatorInfo(
        "unstack_like", "pullback.unstack_like", ("x",), ("likes", "axis"), linear=(0,), gives_list=True
    ),
    OperatorInfo(
        "astype",
        "numpy.astype",
        ("x",),
        ("dtype",),
        pointwise=True,
        dtype="attr",
        linear=(0,),
        methods=("astype",),
    ),
)
