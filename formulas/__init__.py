"""The derivatives of the vocabulary, a file per family.

A formula holds the mathematics and its source. Broadcasting, undefined
gradients, saving and dtypes are the transformation's work.
"""
