"""A learner's way through the course: attempts, hints, pages, reset, watch, doctor.

Each module but ``lesson`` serves a command: ``attempt`` grades and counts, ``pages`` says what to
show, ``progress`` keeps the record.
"""
