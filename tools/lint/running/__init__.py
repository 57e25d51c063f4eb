"""Runs of lint over many files: processes, the cache, and which files findings come from."""
