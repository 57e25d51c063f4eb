"""Captured intermediates as hidden outputs, and what is saved or computed again for them."""
