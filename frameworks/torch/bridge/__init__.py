"""Kernels as operators of PyTorch: one autograd node in C++, and the plans that it runs by."""
