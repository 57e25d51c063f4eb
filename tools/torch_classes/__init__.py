"""Runs ``torch.autograd.Function`` classes and measures their derivatives. Only `check` does this."""
