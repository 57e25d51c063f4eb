"""Facts about ``torch.autograd.Function`` classes, found by following their text."""
