"""Reads ``torch.autograd.Function`` classes from text: names, classes, and their methods."""
