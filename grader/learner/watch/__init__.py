"""Grades a step at every save: the file is watched, the report is shown in place, keys do the rest.

``loop`` ties the parts together: ``changes`` says when a file was saved, ``grading`` grades in a
thread with spare workers, ``bell`` tells of threads and signals, ``terminal`` reads keys and draws,
``screen`` says what to draw.
"""
