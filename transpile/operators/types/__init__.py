"""The types of operators' results, a file of rules per family.

A rule takes a `Call` and gives the type of the operator's result. What it does not know is
`call.unknown()`; what cannot be right is a TypeMistake.
"""
