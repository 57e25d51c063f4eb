"""The text that fixes change: splices, names, slices of a method and changes in place."""
