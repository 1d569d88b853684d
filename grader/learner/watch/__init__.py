"""Grades a step on every save: watches the file, shows the report in place, handles keys.

``loop`` connects the parts: ``changes`` detects saves, ``grading`` grades in a thread with workers
from a pool, ``events`` collects events from threads and signals, ``terminal`` reads keys and
draws, ``screen`` says what to draw.
"""
