"""The syntax of Python: text to trees, what the language leaves out, arithmetic of constants."""
