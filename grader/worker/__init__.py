"""The untrusted process: it imports MAX, runs the learner's code and says what it saw."""
