"""The reverse sweep, an equation kind per file, and the closures that it makes."""
