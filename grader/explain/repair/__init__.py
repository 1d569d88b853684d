"""Hints that have been tried: small edits of a failing program, of which one was graded and helps.

``suggest.suggest`` finds it. Edits come from the reference (``reference``), from the values
(``values``), from what the report says (``told``) and from what usually goes wrong
(``expressions``, ``statements`` and what they use). ``likely`` orders them. They run on one failing
trial (``trial``), and the best are graded whole.
"""
