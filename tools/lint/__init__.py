"""Lint of formulas and of ``torch.autograd.Function`` classes: reading, analyses, rules, fixes and output."""
