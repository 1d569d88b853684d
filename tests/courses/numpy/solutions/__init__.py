"""The solutions of the course on NumPy."""
