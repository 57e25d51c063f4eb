"""Calls of ATen for operators of the IR, where the table of operators does not say it all.

A function of tensors alone that the table names is called by that name. Here are templates for others, in
the names of operands and attributes: ``{axis}`` as it is, ``{axis?}`` where it is given, with the comma
before it, ``{axis:axes}`` a number or several, ``{axis:list}`` several, ``{ddof:0}`` with a default.
``at::name(`` in a template is an operator whose header is included; what stands there without a namespace is
a function of `runtime`.
"""

from __future__ import annotations

TEMPLATES: dict[str, str] = {
    "power": "at::pow({x}, {y})",
    "remainder": "at::remainder({x}, {y})",
    "round": "at::round({x}{decimals?})",
    "softplus": "at::logaddexp({x}, at::zeros_like({x}))",
    "log_expit": "at::log_sigmoid({x})",
    "exp10": "at::pow(10.0, {x})",
    "polygamma": "at::polygamma({n}, {x})",
    "stop_gradient": "{x}.detach()",
    "positive": "{x}.clone()",  # of booleans too, which have no at::positive
    "zeros_like": "at::zeros_like({a})",
    "ones_like": "at::ones_like({a})",
    "full_like": "at::full_like({a}, {fill_value})",
    "solve": "solve({a}, {b})",
    "outer": "at::outer({a}.reshape(-1), {b}.reshape(-1))",
    "vdot": "({a}.reshape(-1) * {b}.reshape(-1)).sum()",
    "flip": "at::flip({a}, {axis:list})",
    "roll": "at::roll({a}, {shift:list}, {axis:list})",
    "tril": "at::tril({m}{k?})",
    "triu": "at::triu({m}{k?})",
    "swapaxes": "at::swapaxes({a}, {axis1}, {axis2})",
    "moveaxis": "at::movedim({a}, {source:list}, {destination:list})",
    "reshape": "at::reshape({a}, {shape:list})",
    "broadcast_to": "at::broadcast_to({array}, {shape:list})",
    "diagonal": "at::diagonal({a}, {offset:0}, {axis1:0}, {axis2:1})",
    "trace": "at::diagonal({a}, {offset:0}, {axis1:0}, {axis2:1}).sum(-1)",
    "undiagonal": "at::diagonal_backward({a}, {shape}, {offset}, {axis1}, {axis2})",
    "take_along_axis": "at::take_along_dim({arr}, {indices}, {axis})",
    "put_along": "at::scatter_add(at::zeros({shape}, {a}.options()), {axis}, {indices}, {a})",
    "repeat": "at::repeat_interleave({a}, {repeats}, {axis:optional})",
    "sum_repeats": "scattered({a}, at::repeat_interleave(places_of({shape}, {a}), {repeats}, {axis:optional})"
    ", {shape})",
    "tile": "at::tile({A}, {reps:list})",
    "sum_tiles": "scattered({a}, at::tile(places_of({shape}, {a}), {reps:list}), {shape})",
    "expand_dims": "at::unsqueeze({a}, {axis})",
    "concatenate": "at::cat({arrays}{axis?})",
    "stack": "at::stack({arrays}{axis?})",
    "vstack": "at::vstack({tup})",
    "hstack": "at::hstack({tup})",
    "collect": "collect({arrays})",
    "stacked": "stacked({arrays})",
    "collect_flat": "collect_flat({arrays})",
    "appended": "appended({values}, {x})",
    "without_last": "without_last({values})",
    "unitem": "unitem({a}, {index}, {likes})",
    "split_like": "split_like({x}, {likes}, {axis:optional})",
    "unstack_like": "unstack_like({x}, {likes}, {axis})",
    "zeros_list": "zeros_list({likes})",
    "softmax": "at::softmax({x}, {axis})",
    "log_softmax": "at::log_softmax({x}, {axis})",
    "cumsum": "at::cumsum({a}, {axis})",
    "cumprod": "at::cumprod({a}, {axis})",
    "sort": "std::get<0>(at::sort({a}, /*stable=*/true, {axis:-1}, /*descending=*/false))",
    "argcummax": "std::get<1>(at::cummax({a}, {axis}))",
    "argcummin": "std::get<1>(at::cummin({a}, {axis}))",
    "argsort": "at::argsort({a}, /*stable=*/true, {axis:-1})",
    "any": "at::any({a}, {axis}{keepdims?})",
    "all": "at::all({a}, {axis}{keepdims?})",
    "argmax": "at::argmax({a}{axis?}{keepdims?})",
    "argmin": "at::argmin({a}{axis?}{keepdims?})",
    "mean": "at::mean({a}, {axis:axes}{keepdims?})",
    "sum": "at::sum({a}, {axis:axes}{keepdims?})",
    "max": "at::amax({a}, {axis:axes}{keepdims?})",
    "min": "at::amin({a}, {axis:axes}{keepdims?})",
    "prod": "at::prod({a}, {axis}{keepdims?})",
    "var": "at::var({a}, {axis:axes}, /*correction=*/{ddof:0}, {keepdims:false})",
    "std": "at::std({a}, {axis:axes}, /*correction=*/{ddof:0}, {keepdims:false})",
    "logsumexp": "at::logsumexp({a}, {axis:axes}{keepdims?})",
}
# The same where all axes are meant.
ALL_AXES: dict[str, str] = {
    "sum": "at::sum({a})",
    "mean": "at::mean({a})",
    "max": "at::amax({a})",
    "min": "at::amin({a})",
    "prod": "at::prod({a})",
    "var": "at::var({a}, std::nullopt, /*correction=*/{ddof:0})",
    "std": "at::std({a}, std::nullopt, /*correction=*/{ddof:0})",
    "argmax": "at::argmax({a})",
    "argmin": "at::argmin({a})",
    "any": "at::any({a})",
    "all": "at::all({a})",
    "sort": "std::get<0>(at::sort({a}.reshape(-1), /*stable=*/true, 0, /*descending=*/false))",
    "argsort": "at::argsort({a}.reshape(-1), /*stable=*/true, 0)",
    "flip": "at::flip({a}, all_axes({a}))",
    "concatenate": "collect_flat({arrays})",
    "cumsum": "at::cumsum({a}.reshape(-1), 0)",
    "cumprod": "at::cumprod({a}.reshape(-1), 0)",
    "transpose": "reversed_axes({a})",
    "squeeze": "at::squeeze({a})",
}
# What is made of numbers: where it is put is the device of the formula's first tensor.
OF_NUMBERS: dict[str, str] = {
    "zeros": "at::zeros({shape:list}, {dtype})",
    "ones": "at::ones({shape:list}, {dtype})",
    "full": "at::full({shape:list}, {fill_value}, {dtype})",
    "arange": "at::arange({start}, {stop}, {step:1}, {dtype})",
}
# Functions with several results.
SEVERAL: dict[str, str] = {
    "numpy.linalg.slogdet": "at::linalg_slogdet",
    "numpy.linalg.eigh": "at::linalg_eigh",
    "numpy.linalg.qr": "at::linalg_qr",
    "numpy.linalg.svd": "at::linalg_svd",
}
# Functions of numbers.
OF_VALUES: dict[str, str] = {
    **{name: f"std::{name}" for name in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt")},
    **{name: f"std::{name}" for name in ("cbrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "hypot")},
    **{name: f"std::{name}" for name in ("floor", "ceil", "trunc", "copysign", "erf", "erfc", "abs")},
    **{f"arc{name}": f"std::a{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{f"math.{name}": f"std::{name}" for name in ("sqrt", "exp", "log", "erf", "ceil", "floor")},
    **{"arctan2": "std::atan2", "gamma": "std::tgamma", "gammaln": "std::lgamma", "power": "std::pow"},
    **{"isnan": "std::isnan", "isinf": "std::isinf", "isfinite": "std::isfinite"},
}
# Those whose results are true or false.
OF_TRUTH = frozenset({"isnan", "isinf", "isfinite"})
# Those whose results are whole numbers in Python.
WHOLE = frozenset({"math.ceil", "math.floor"})
DTYPES: dict[str, str] = {
    "float16": "at::kHalf",
    "float32": "at::kFloat",
    "float64": "at::kDouble",
    "complex64": "at::kComplexFloat",
    "complex128": "at::kComplexDouble",
    "int8": "at::kChar",
    "uint8": "at::kByte",
    "int16": "at::kShort",
    "int32": "at::kInt",
    "int64": "at::kLong",
    "bool": "at::kBool",
    "bool_": "at::kBool",
}
