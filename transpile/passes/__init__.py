"""Transformations of the IR, one per file. Each takes IR and returns IR.

normalize         shape reads leave the closure, returned gradients are reduced to their inputs
derive            a closure for a formula that has none
promote           captured intermediates become hidden outputs, with their gradient terms
differentiate     the reverse sweep: a block's cotangents from its results' cotangents
recompute         captured views, and what the author names, are computed again in the pullback
save_or_recompute which captured intermediates are saved, and which computed again
specialize        a variant of a pullback for the gradients that are defined and needed
simplify          dead code, common subexpressions, reductions that do nothing
inline            calls of formulas become their forwards
reverse           a pullback as a formula of its own
transpose         the rule for forward mode
as_written        a derived closure as a person writes one, with names by `label_temporaries`
naming            names for the emitted code

`rewrite` has what all of them need; `sweep`, `zeros` and `fold` are parts of others.
"""
