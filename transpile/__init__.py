"""From the text of a formula to facts, IR, transformed IR, and code.

Imports nothing else of the package and only the standard library, except the
Python emitter, which prints through astor.
"""
