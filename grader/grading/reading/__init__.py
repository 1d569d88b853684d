"""What the source of a failing program shows before it is run: statements, names, and what is odd.

``bindings`` and ``program`` are asked by all others. ``shown``, ``odd``, ``lookups``, ``siblings``
and ``likely`` each know slips that a learner makes whatever the program computes.
"""
