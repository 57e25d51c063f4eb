"""Python over another array library, as PyTorch or JAX, from promoted IR.

`Vocabulary` says what a library calls each operator; `ArrayExpressions` prints equations in it, and
`helpers` brings the text of the functions that the library has no equal of. What is printed computes
what the formula means by NumPy's rules.
"""
