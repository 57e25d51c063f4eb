"""Transformations of the IR, one per file. Each takes IR and returns IR.

normalize     shape reads leave the closure, returned gradients are reduced to their inputs
promote       captured intermediates become hidden outputs, with their gradient terms
recompute     captured views, and what the author names, are computed again in the pullback
differentiate the reverse sweep: a block's cotangents from its results' cotangents
specialize    a variant of a pullback for the gradients that are defined and needed
simplify      dead code, common subexpressions, reductions that do nothing
"""
