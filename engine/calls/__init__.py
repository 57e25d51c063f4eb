"""From the call of a function to the operator that it is."""
