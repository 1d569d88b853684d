"""What the grader and the worker say to each other, as data, and how it travels."""
