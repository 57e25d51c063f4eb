"""The loop IR: what stands between equations and the text of a kernel.

`expressions` and `statements` say what the program of a kernel is made of, `runtime` which functions it may
call. `kernels` makes the kernels of a formula, `lower` the program of a kernel, `passes` change it, and a
printer decides nothing. `device` holds programs for graphics processors.
"""
