"""The desk: the book in a browser, with the learner's file beside each lesson.

``serve`` starts and ends the server; ``guard`` refuses everyone but the learner's own browser;
``routes`` defines the requests, ``session`` answers them with the same parts of the grader as the
terminal's commands, ``hub`` sends events to every window. ``static`` is what runs in the page.
"""
