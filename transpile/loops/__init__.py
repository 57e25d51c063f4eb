"""The loop IR: what stands between typed equations and the text of a kernel.

`ir` says what a program of kernels is, `spec` what is valid, `lower` makes one of typed equations,
`passes` change it, and `interpreter` runs it in NumPy. A printer decides nothing.
"""
