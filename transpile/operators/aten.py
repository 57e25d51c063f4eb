"""ATen's functions, by their names in `pullback.aten`, and the helpers of formulas of PyTorch's table.

PyTorch's own table has a derivative of each, so a formula that calls one is no mistake. To this table they
are opaque: they run, and what depends on them is not promoted.
"""

# The beginnings of their full names.
ATEN = ("pullback.aten.", "pullback.formulas.aten.")
# Those that give a plain value: a size, a dtype, a truth value.
ATEN_VALUES = frozenset(
    f"{module}.{name}"
    for module, names in {
        "pullback.aten": "numel stride layout blocksize suggest_memory_format"
        " is_complex is_cpu is_xpu is_jagged is_contiguous",
        "pullback.formulas.aten": "records_gradients retains_graph needs_gradient options geometry"
        " conjugate is_complex to_args_sizes to_args_scalartypes",
    }.items()
    for name in names.split()
)
