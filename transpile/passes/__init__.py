"""Transformations of the IR, one per file. Each takes IR and returns IR. The rooms, lowest first:

simplify       dead code, common subexpressions, constants, reductions that do nothing, lengths of axes
inline         calls of formulas become their forwards, for kernels
differentiate  the reverse sweep, an equation kind per file; a closure for a formula that has none (`derive`)
readable       names for the emitted code (`naming`), and a derived closure as a person writes one
variants       a pullback for the gradients that are defined and needed, as a formula of its own (`reverse`),
               and transposed for forward mode
promote        captured intermediates become hidden outputs with gradient terms, saved or computed again

`transpile/rewrite.py` has what all of them need.
"""
