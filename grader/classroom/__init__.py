"""Grades the submissions of a whole class: reads them, grades each once, and tells the teacher."""
