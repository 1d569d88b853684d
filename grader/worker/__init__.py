"""The untrusted process: it imports the framework, runs the learner's code and reports what it saw.

Nothing here is public: the sandbox starts ``__main__`` by path.
"""
