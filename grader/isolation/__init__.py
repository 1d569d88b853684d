"""Isolates a process, and ends it with everything it started. Imports no framework and no NumPy.

``settings`` is what such a process is told, ``layers`` what it applies to itself, ``supervisor``
the process that watches it, ``bubblewrap`` the sandbox around both; ``tiers`` names the result.
"""
