"""Hints that have been tried: small edits of a failing program, of which one was graded and helps.

``suggest.suggest`` finds it. Edits come from the reference (``reference``), from the values
(``values``) and from what usually goes wrong at the place that the report names (``expressions``,
``arguments``, ``statements``). They run on one failing trial (``trial``), and the best are graded
whole.
"""
