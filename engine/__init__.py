"""Two engines with one behaviour, and the public surface written once on top of both.

`dispatch` says what an engine is; `reference` is the one to read.
"""
