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
    OperatorInfo(
        "sum_repeats", "pullback.primitives.sum_repeats", ("a",), ("repeats", "axis", "shape"), linear=(0,)
    ),
    OperatorInfo("tile", "numpy.tile", ("A",), ("reps",), linear=(0,)),
    OperatorInfo("sum_tiles", "pullback.primitives.sum_tiles", ("a",), ("reps", "shape"), linear=(0,)),
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
        "undiagonal",
        "pullback.primitives.undiagonal",
        ("a",),
        ("offset", "axis1", "axis2", "shape"),
        linear=(0,),
    ),
    OperatorInfo(
        "trace", "numpy.trace", ("a",), ("offset", "axis1", "axis2"), linear=(0,), methods=("trace",)
    ),
    OperatorInfo("tril", "numpy.tril", ("m",), ("k",), linear=(0,)),
    OperatorInfo("triu", "numpy.triu", ("m",), ("k",), linear=(0,)),
    OperatorInfo("flatten_axes", "pullback.primitives.flatten_axes", ("a",), ("axis",), linear=(0,)),
    OperatorInfo(
        "unflatten_axes", "pullback.primitives.unflatten_axes", ("a",), ("axis", "shape"), linear=(0,)
    ),
    OperatorInfo("broadcast_to", "numpy.broadcast_to", ("array",), ("shape",), linear=(0,), view=True),
    OperatorInfo("expand_dims", "numpy.expand_dims", ("a",), ("axis",), linear=(0,), view=True),
    OperatorInfo("squeeze", "numpy.squeeze", ("a",), ("axis",), linear=(0,), view=True, methods=("squeeze",)),
    OperatorInfo("getitem", "operator.getitem", ("a",), ("index",), linear=(0,), view=True),
    OperatorInfo("take_along_axis", "numpy.take_along_axis", ("arr",), ("indices", "axis"), linear=(0,)),
    OperatorInfo(
        "put_along", "pullback.primitives.put_along", ("a",), ("indices", "axis", "shape"), linear=(0,)
    ),
    OperatorInfo(
        "index_put",
        "pullback.primitives.index_put",
        ("a", "value"),
        ("index", "repeated"),
        linear=(0, 1),
        jointly=True,
    ),
    OperatorInfo(
        "last_written",
        "pullback.primitives.last_written",
        (),
        ("index", "shape"),
        derivative="zero",
        dtype="bool",
    ),
    OperatorInfo("unslice", "pullback.primitives.unslice", ("a",), ("index", "shape"), linear=(0,)),
    OperatorInfo("take_region", "pullback.primitives.take_region", ("a",), ("region",), linear=(0,)),
    OperatorInfo("spread_region", "pullback.primitives.spread_region", ("a",), ("region",), linear=(0,)),
    OperatorInfo("clear_region", "pullback.primitives.clear_region", ("a",), ("region",), linear=(0,)),
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
    OperatorInfo(
        "collect", "pullback.primitives.collect", ("arrays",), (), linear=(0,), jointly=True, variadic=True
    ),
    OperatorInfo(
        "collect_flat",
        "pullback.primitives.collect_flat",
        ("arrays",),
        (),
        linear=(0,),
        jointly=True,
        variadic=True,
    ),
    OperatorInfo(
        "split_like",
        "pullback.primitives.split_like",
        ("x",),
        ("likes", "axis"),
        linear=(0,),
        gives_list=True,
    ),
    OperatorInfo(
        "join_like",
        "pullback.primitives.join_like",
        ("arrays",),
        ("like", "axis"),
        linear=(0,),
        jointly=True,
        variadic=True,
    ),
    OperatorInfo(
        "unitem", "pullback.primitives.unitem", ("a",), ("index", "likes"), linear=(0,), gives_list=True
    ),
    OperatorInfo(
        "zeros_list", "pullback.primitives.zeros_list", (), ("likes",), derivative="zero", gives_list=True
    ),
    OperatorInfo(
        "appended",
        "pullback.primitives.appended",
        ("values", "x"),
        linear=(0, 1),
        jointly=True,
        gives_list=True,
    ),
    OperatorInfo(
        "without_last", "pullback.primitives.without_last", ("values",), linear=(0,), gives_list=True
    ),
    OperatorInfo(
        "unstack_like",
        "pullback.primitives.unstack_like",
        ("x",),
        ("likes", "axis"),
        linear=(0,),
        gives_list=True,
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
