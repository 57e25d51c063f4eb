"""The language by examples: one small formula per construct, and what each translation makes of it."""
