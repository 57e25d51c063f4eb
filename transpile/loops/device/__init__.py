"""Programs for a device with many threads: kernels that compute entry by entry.

`ir` says what a program of kernels is, `spec` what is valid, `lower` makes one of typed equations,
`passes` change it, and `interpreter` runs it in NumPy. A printer decides nothing.
"""
