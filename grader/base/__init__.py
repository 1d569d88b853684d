"""What every other package may use, and what needs none of them.

``model`` has the frozen results of a grading, ``course`` the list of steps, ``blanks`` the marked
parts of a solution, ``sanitize`` makes untrusted text safe, ``files`` writes whole or not at
all, ``rewriting`` changes syntax trees that are shared, ``machine`` counts cores.
"""
