"""Confines a process and ends it with all that it started. Imports neither MAX nor NumPy."""
