"""What is known while a function is read: values, frames, equations, and the tables of readers."""
