"""A program of the array API standard for each of its functions, that any namespace can run.

A program is given the namespace and makes its own arrays, with nothing but what
the standard has, by the standard's names of parameters.
"""

FLOATS = [[0.5, 1.5, 1.0], [2.0, 0.25, 0.75]]
WHOLE = [[3, 0, 2], [1, 1, 5]]
SQUARE = [[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]]


def f(xp, dtype="float64"):
    return xp.asarray(FLOATS, dtype=getattr(xp, dtype))


def i(xp, dtype="int64"):
    return xp.asarray(WHOLE, dtype=getattr(xp, dtype))


def s(xp):
    return xp.asarray([SQUARE, SQUARE], dtype=xp.float64)


ONE_OPERAND = [
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "ceil",
    "conj",
    "cos",
    "cosh",
    "exp",
    "expm1",
    "floor",
    "isfinite",
    "isinf",
    "isnan",
    "log",
    "log1p",
    "log10",
    "log2",
    "negative",
    "positive",
    "real",
    "reciprocal",
    "round",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "trunc",
]
TWO_OPERANDS = [
    "add",
    "atan2",
    "copysign",
    "divide",
    "equal",
    "floor_divide",
    "greater",
    "greater_equal",
    "hypot",
    "less",
    "less_equal",
    "logaddexp",
    "maximum",
    "minimum",
    "multiply",
    "nextafter",
    "not_equal",
    "pow",
    "remainder",
    "subtract",
]
OF_WHOLE = [
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "bitwise_left_shift",
    "bitwise_right_shift",
]
OF_BOOLS = [
    "logical_and",
    "logical_or",
    "logical_xor",
]


def _unary(name):
    inside = name in ("acos", "asin", "atanh")
    return lambda xp: getattr(xp, name)(f(xp) / 4 if inside else f(xp) + 1)


def _binary(name, first, second):
    return lambda xp: getattr(xp, name)(first(xp), second(xp))


PROGRAMS = {
    **{name: [_unary(name)] for name in ONE_OPERAND},
    **{
        name: [
            _binary(name, f, lambda xp: xp.asarray([1.0, 2.0, 0.5])),
            _binary(name, lambda xp: f(xp, "float32"), lambda xp: f(xp) + 1),
            _binary(name, f, lambda xp: 2.0),
        ]
        for name in TWO_OPERANDS
    },
    **{
        name: [_binary(name, i, lambda xp: xp.asarray([1, 2, 0])), _binary(name, i, lambda xp: 1)]
        for name in OF_WHOLE
    },
    **{name: [_binary(name, lambda xp: f(xp) > 1, lambda xp: i(xp) > 1)] for name in OF_BOOLS},
    "logical_not": [lambda xp: xp.logical_not(f(xp) > 1)],
    "bitwise_invert": [lambda xp: xp.bitwise_invert(i(xp))],
    "imag": [lambda xp: xp.imag(xp.asarray([1 + 2j, 3.0]))],
    "clip": [
        lambda xp: xp.clip(f(xp), 0.5, 1.0),
        lambda xp: xp.clip(f(xp), max=1.0),
        lambda xp: xp.clip(i(xp), min=xp.asarray([1, 2, 3])),
        lambda xp: xp.clip(f(xp, "float32"), 0.5, None),
    ],
    # creation
    "arange": [lambda xp: xp.arange(3), lambda xp: xp.arange(1, 5, 2, dtype=xp.float32, device=None)],
    "asarray": [lambda xp: xp.asarray([1, 2]), lambda xp: xp.asarray(f(xp), dtype=xp.float32, copy=True)],
    "empty": [lambda xp: xp.empty((0, 2), dtype=xp.int8)],
    "empty_like": [lambda xp: xp.empty_like(f(xp)) * 0],
    "eye": [lambda xp: xp.eye(3, 4, k=1, dtype=xp.float32)],
    "from_dlpack": [lambda xp: xp.from_dlpack(f(xp))],
    "full": [lambda xp: xp.full((2, 3), 7), lambda xp: xp.full(2, True), lambda xp: xp.full((), 1.5)],
    "full_like": [lambda xp: xp.full_like(f(xp), 3), lambda xp: xp.full_like(i(xp), 3, dtype=xp.int8)],
    "linspace": [lambda xp: xp.linspace(0, 1, num=5, endpoint=False), lambda xp: xp.linspace(0.0, 1.0, 3)],
    "meshgrid": [lambda xp: xp.meshgrid(xp.arange(2), xp.arange(3), indexing="ij")[1]],
    "ones": [lambda xp: xp.ones((2,)), lambda xp: xp.ones(2, dtype=xp.bool)],
    "ones_like": [lambda xp: xp.ones_like(i(xp))],
    "tril": [lambda xp: xp.tril(f(xp), k=-1)],
    "triu": [lambda xp: xp.triu(f(xp), k=1)],
    "zeros": [lambda xp: xp.zeros(3, dtype=xp.uint16)],
    "zeros_like": [lambda xp: xp.zeros_like(f(xp), dtype=xp.int32)],
    # dtypes
    "astype": [lambda xp: xp.astype(f(xp), xp.int32), lambda xp: xp.astype(i(xp), xp.bool, copy=False)],
    "can_cast": [lambda xp: xp.can_cast(f(xp), xp.float32), lambda xp: xp.can_cast(xp.int8, xp.int64)],
    "finfo": [lambda xp: xp.finfo(xp.float32).eps, lambda xp: xp.finfo(f(xp)).max],
    "iinfo": [lambda xp: xp.iinfo(xp.int8).max, lambda xp: xp.iinfo(i(xp)).min],
    "isdtype": [
        lambda xp: xp.isdtype(f(xp).dtype, "real floating"),
        lambda xp: xp.isdtype(xp.int8, (xp.bool, "integral")),
    ],
    "result_type": [lambda xp: xp.result_type(f(xp, "float32"), xp.float64) == xp.float64],
    # indexing, searching, sets, sorting
    "take": [lambda xp: xp.take(f(xp), xp.asarray([2, 0]), axis=1)],
    "take_along_axis": [lambda xp: xp.take_along_axis(f(xp), xp.asarray([[2, 0], [1, 1]]), axis=-1)],
    "argmax": [lambda xp: xp.argmax(f(xp)), lambda xp: xp.argmax(f(xp), axis=1, keepdims=True)],
    "argmin": [lambda xp: xp.argmin(f(xp), axis=0)],
    "count_nonzero": [
        lambda xp: xp.count_nonzero(i(xp)),
        lambda xp: xp.count_nonzero(i(xp), axis=1, keepdims=True),
    ],
    "nonzero": [lambda xp: xp.nonzero(i(xp))[1]],
    "searchsorted": [
        lambda xp: xp.searchsorted(xp.asarray([1.0, 2.0, 3.0]), f(xp), side="right"),
        lambda xp: xp.searchsorted(xp.asarray([3.0, 1.0]), xp.asarray([2.0]), sorter=xp.asarray([1, 0])),
    ],
    "where": [lambda xp: xp.where(i(xp) > 1, f(xp), 0.0)],
    "unique_all": [lambda xp: xp.unique_all(i(xp)).values, lambda xp: xp.unique_all(i(xp)).indices],
    "unique_counts": [lambda xp: xp.unique_counts(i(xp)).counts],
    "unique_inverse": [lambda xp: xp.unique_inverse(i(xp)).inverse_indices],
    "unique_values": [lambda xp: xp.unique_values(f(xp))],
    "argsort": [
        lambda xp: xp.argsort(i(xp), axis=1),
        lambda xp: xp.argsort(i(xp), descending=True),
        lambda xp: xp.argsort(i(xp), axis=0, descending=True, stable=True),
    ],
    "sort": [lambda xp: xp.sort(f(xp)), lambda xp: xp.sort(i(xp), axis=0, descending=True, stable=False)],
    # manipulation
    "broadcast_arrays": [lambda xp: xp.broadcast_arrays(f(xp), xp.asarray([1.0, 2.0, 3.0]))[1]],
    "broadcast_to": [lambda xp: xp.broadcast_to(f(xp), (2, 2, 3))],
    "concat": [
        lambda xp: xp.concat([f(xp), f(xp)], axis=1),
        lambda xp: xp.concat((i(xp, "int8"), i(xp, "int32")), axis=None),
    ],
    "expand_dims": [lambda xp: xp.expand_dims(f(xp), axis=-2)],
    "flip": [lambda xp: xp.flip(f(xp)), lambda xp: xp.flip(f(xp), axis=(0,))],
    "moveaxis": [lambda xp: xp.moveaxis(s(xp), 0, -1), lambda xp: xp.moveaxis(s(xp), (0, 1), (1, 2))],
    "permute_dims": [lambda xp: xp.permute_dims(s(xp), axes=(2, 0, 1))],
    "repeat": [lambda xp: xp.repeat(f(xp), 2), lambda xp: xp.repeat(f(xp), xp.asarray([1, 0, 2]), axis=1)],
    "reshape": [lambda xp: xp.reshape(f(xp), (3, 2), copy=True), lambda xp: xp.reshape(f(xp), shape=(-1,))],
    "roll": [lambda xp: xp.roll(f(xp), 1), lambda xp: xp.roll(f(xp), shift=(1, -1), axis=(0, 1))],
    "squeeze": [lambda xp: xp.squeeze(xp.ones((1, 2, 1)), axis=(0,))],
    "stack": [lambda xp: xp.stack([f(xp), f(xp)], axis=-1)],
    "tile": [lambda xp: xp.tile(f(xp), (2, 1, 1))],
    "unstack": [lambda xp: xp.unstack(f(xp), axis=1)[2]],
    # statistics
    "cumulative_sum": [
        lambda xp: xp.cumulative_sum(f(xp), axis=1, include_initial=True),
        lambda xp: xp.cumulative_sum(xp.asarray([1, 2], dtype=xp.int8)),
        lambda xp: xp.cumulative_sum(f(xp), axis=0, dtype=xp.float32),
    ],
    "cumulative_prod": [lambda xp: xp.cumulative_prod(f(xp), axis=-1)],
    "max": [lambda xp: xp.max(f(xp)), lambda xp: xp.max(i(xp), axis=(0, 1), keepdims=True)],
    "mean": [lambda xp: xp.mean(f(xp), axis=1, keepdims=True)],
    "min": [lambda xp: xp.min(f(xp), axis=0)],
    "prod": [
        lambda xp: xp.prod(i(xp, "int8"), axis=1),
        lambda xp: xp.prod(f(xp, "float32"), dtype=xp.float64),
    ],
    "std": [lambda xp: xp.std(f(xp), axis=1, correction=1.0, keepdims=True)],
    "sum": [lambda xp: xp.sum(i(xp, "uint8")), lambda xp: xp.sum(f(xp, "float32"), axis=0, dtype=xp.float64)],
    "var": [lambda xp: xp.var(f(xp), correction=1)],
    "all": [lambda xp: xp.all(i(xp)), lambda xp: xp.all(f(xp) > 0.3, axis=1, keepdims=True)],
    "any": [lambda xp: xp.any(f(xp) > 1.9, axis=0)],
    "diff": [lambda xp: xp.diff(f(xp), n=2), lambda xp: xp.diff(f(xp), axis=0, prepend=f(xp), append=f(xp))],
    # linear algebra
    "matmul": [lambda xp: xp.matmul(s(xp), f(xp).T)],
    "matrix_transpose": [lambda xp: xp.matrix_transpose(s(xp))],
    "tensordot": [lambda xp: xp.tensordot(f(xp), f(xp), axes=((1,), (1,)))],
    "vecdot": [lambda xp: xp.vecdot(f(xp), f(xp), axis=-1)],
    "linalg.cholesky": [
        lambda xp: xp.linalg.cholesky(s(xp)),
        lambda xp: xp.linalg.cholesky(s(xp), upper=True),
    ],
    "linalg.cross": [lambda xp: xp.linalg.cross(f(xp), f(xp) + 1, axis=-1)],
    "linalg.det": [lambda xp: xp.linalg.det(s(xp))],
    "linalg.diagonal": [lambda xp: xp.linalg.diagonal(s(xp), offset=1)],
    "linalg.eigh": [lambda xp: xp.linalg.eigh(s(xp)).eigenvalues],
    "linalg.eigvalsh": [lambda xp: xp.linalg.eigvalsh(s(xp))],
    "linalg.inv": [lambda xp: xp.linalg.inv(s(xp))],
    "linalg.matmul": [lambda xp: xp.linalg.matmul(f(xp), s(xp))],
    "linalg.matrix_norm": [
        lambda xp, order=order: xp.linalg.matrix_norm(s(xp), ord=order, keepdims=True)
        for order in ("fro", "nuc", 1, 2, -1, -2, float("inf"))
    ],
    "linalg.matrix_power": [
        lambda xp: xp.linalg.matrix_power(s(xp), 3),
        lambda xp: xp.linalg.matrix_power(s(xp), -1),
    ],
    "linalg.matrix_rank": [lambda xp: xp.linalg.matrix_rank(s(xp), rtol=1e-9)],
    "linalg.matrix_transpose": [lambda xp: xp.linalg.matrix_transpose(f(xp))],
    "linalg.outer": [lambda xp: xp.linalg.outer(f(xp)[0, :], f(xp)[1, :])],
    "linalg.pinv": [lambda xp: xp.linalg.pinv(f(xp), rtol=1e-12)],
    "linalg.qr": [
        lambda xp: xp.linalg.qr(s(xp), mode="reduced").R,
        lambda xp: xp.linalg.qr(f(xp).T, mode="complete").Q,
    ],
    "linalg.slogdet": [
        lambda xp: xp.linalg.slogdet(s(xp)).logabsdet,
        lambda xp: xp.linalg.slogdet(s(xp)).sign,
    ],
    "linalg.solve": [
        lambda xp: xp.linalg.solve(s(xp), f(xp).T),
        lambda xp: xp.linalg.solve(s(xp)[0, ...], f(xp)[0, :]),
    ],
    "linalg.svd": [
        lambda xp: xp.linalg.svd(s(xp), full_matrices=False).S,
        lambda xp: xp.linalg.svd(f(xp)).Vh,
    ],
    "linalg.svdvals": [lambda xp: xp.linalg.svdvals(s(xp))],
    "linalg.tensordot": [lambda xp: xp.linalg.tensordot(f(xp), f(xp).T, axes=1)],
    "linalg.trace": [
        lambda xp: xp.linalg.trace(s(xp), offset=1),
        lambda xp: xp.linalg.trace(s(xp), dtype=xp.float32),
    ],
    "linalg.vecdot": [lambda xp: xp.linalg.vecdot(f(xp), f(xp))],
    "linalg.vector_norm": [
        lambda xp, order=order: xp.linalg.vector_norm(f(xp), axis=1, ord=order, keepdims=True)
        for order in (2, 1, 0, 3.5, float("inf"), -float("inf"))
    ],
    # Fourier transforms
    **{
        f"fft.{name}": [lambda xp, name=name: getattr(xp.fft, name)(f(xp) + 0j, norm="ortho")]
        for name in ("fft", "ifft", "fftn", "ifftn", "irfft", "irfftn", "hfft")
    },
    **{
        f"fft.{name}": [lambda xp, name=name: getattr(xp.fft, name)(f(xp))]
        for name in ("rfft", "rfftn", "ihfft")
    },
    "fft.fftfreq": [lambda xp: xp.fft.fftfreq(5, d=0.5), lambda xp: xp.fft.fftfreq(4, dtype=xp.float32)],
    "fft.rfftfreq": [lambda xp: xp.fft.rfftfreq(5, d=0.5)],
    "fft.fftshift": [lambda xp: xp.fft.fftshift(f(xp), axes=1)],
    "fft.ifftshift": [lambda xp: xp.fft.ifftshift(f(xp))],
    # inspection
    "__array_namespace_info__": [
        lambda xp: xp.__array_namespace_info__().capabilities()["data-dependent shapes"],
        lambda xp: sorted(xp.__array_namespace_info__().default_dtypes(device=None)),
        lambda xp: sorted(xp.__array_namespace_info__().dtypes(kind="integral")),
    ],
}
