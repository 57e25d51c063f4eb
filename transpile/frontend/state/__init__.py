"""State of reading a function: values, frames, equations, and the tables of readers."""
