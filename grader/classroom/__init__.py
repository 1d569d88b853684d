"""Grades the submissions of a whole class: reads them, grades each once, and tells the teacher.

The command line puts it together: ``collect`` finds each person's answers, ``session`` has them
graded, ``store`` keeps the results, ``exports`` writes what the teacher reads. Nothing else here
is used from outside but what these take and give.
"""
