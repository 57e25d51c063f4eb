"""Transforms of functions in the signatures of `torch.func`: arrays in, arrays out, and they nest."""
