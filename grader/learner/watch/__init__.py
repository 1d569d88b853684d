"""Grades a step on every save: watches the file, shows the report in place, obeys keys.

``loop`` ties the parts together: ``changes`` says when a file was saved, ``grading`` grades in a
thread with workers from a pool, ``events`` collects what threads and signals say, ``terminal``
reads keys and draws, ``screen`` says what to draw.
"""
