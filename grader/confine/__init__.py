"""Confines a process, and ends it with all that it started. Imports no framework and no NumPy.

``settings`` is what such a process is told, ``layers`` what it applies to itself, ``supervisor``
what watches it from beside, ``bubblewrap`` what is put around both; ``tiers`` names what that
makes.
"""
