"""The library's functions beside PyTorch's: which entries of `op_db` have one, and are equal.

`python -m pullback.torch.coverage` counts them. A file per family has the functions, with PyTorch's
arguments; `table` has them all, and the reasons where there is none.
"""
