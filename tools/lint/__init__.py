"""Lint where people work: settings, comments that silence, formats, processes, the cache, flake8."""
