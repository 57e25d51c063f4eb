"""PyTorch in Python: a formula as a `torch.autograd.Function`, as text of a module that needs only torch."""
