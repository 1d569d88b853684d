"""A learner's way through the course: attempts, hints, pages, reset, watch, doctor.

Each module but ``lesson`` serves a command: ``attempt`` grades and counts, ``pages`` makes the
text, ``progress`` keeps the record.
"""
