"""The desk: the book in a browser, with the learner's file beside each lesson.

``serve`` starts the server and ends it; ``guard`` refuses whoever is not the learner's own
browser; ``routes`` says what can be asked for, ``session`` answers with the same parts of the
grader as the terminal's commands, ``hub`` tells every window what happened. ``static`` is what runs
in the page.
"""
