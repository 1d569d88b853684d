"""Grades a whole class: reads the submissions, grades each once, and reports to the teacher.

The command line combines the parts: ``collect`` finds each person's answers, ``session`` has them
graded, ``store`` keeps the results, ``exports`` writes what the teacher reads. Outside code uses
only these, and the types that they take and return.
"""
