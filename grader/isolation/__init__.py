"""Isolates a process, and ends it with everything it started. Imports no framework and no NumPy.

``settings`` has what such a process is given, ``layers`` what it applies to itself, ``supervisor``
the process that watches it, ``bubblewrap`` the sandbox around both; ``tiers`` names the result.
"""
