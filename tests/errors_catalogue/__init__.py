"""Mistakes that raise, what MAX says to each, and what the grader makes of it."""
