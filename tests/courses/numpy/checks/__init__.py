"""The checks of the course on NumPy."""
