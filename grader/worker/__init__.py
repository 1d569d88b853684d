"""The untrusted process: it imports the framework, runs the learner's code and says what it saw."""
