"""C++ over the operators of `pullback.h`: the derivatives of the engine that needs no Python."""
