"""The version, in its one place: the build, `pullback.__version__` and generated files read it here."""

__version__ = "0.1.0"
