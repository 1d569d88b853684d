"""Confines a process and ends it with all that it started. Imports no framework, nor NumPy."""
