"""Schedules of kernels for targets that order passes when code is made: `cuda`."""
