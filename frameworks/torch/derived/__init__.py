"""Entries of PyTorch's table whose derivative follows from those of other entries."""
