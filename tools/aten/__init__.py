"""PyTorch's table of derivatives, read and written as Python formulas.

`table` reads the entries through PyTorch's own loader, `cpp` parses their C++ expressions, `rules/` rewrite
them to Python, a family per file, `writer` makes a formula of an entry, and `importing` does it for a whole
table.
"""
