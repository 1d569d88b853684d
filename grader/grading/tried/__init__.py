"""Hints that have been tried: small edits of a failing program, of which one was graded and helps.

``suggest.suggest`` finds it. Edits come from the reference (``reference``) and from what usually
goes wrong at the place that the report names (``mutate``). They are run on one failing trial, and
the best are graded whole.
"""
