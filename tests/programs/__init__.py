"""Programs as people write them over NumPy, and what each translation makes of them."""
