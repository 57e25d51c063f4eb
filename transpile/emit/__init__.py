"""Code from IR: Python, C++ for the native engine, C++ for PyTorch."""
