"""Measures how fast the grader and the course's GPT-2 are: ``./pixiw run bench``."""
