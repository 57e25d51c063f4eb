"""From the equations of a kernel to the statements of its program."""
