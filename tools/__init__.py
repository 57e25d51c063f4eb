"""The command line, the lint rules and the checker: they import everything, and nothing imports them."""
