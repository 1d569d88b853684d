"""Lays out the files of a new step of the course, and says what a step lacks."""
