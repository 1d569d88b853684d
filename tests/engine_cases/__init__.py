"""Cases on which NumPy handlers and MAX's own kernels must agree, and their recorder."""
