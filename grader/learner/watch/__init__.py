"""Grades a step at every save: the file is watched, the report is shown in place, keys do the rest.

``loop`` ties the parts together: ``changes`` says when a file was saved, ``grading`` grades in a
thread with workers from a pool, ``events`` collects what threads and signals say, ``terminal``
reads keys and draws, ``screen`` says what to draw.
"""
