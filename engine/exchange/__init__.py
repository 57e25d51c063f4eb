"""Tensors into other forms and back: pickles, copies and DLPack."""
