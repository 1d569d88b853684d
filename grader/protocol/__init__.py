"""What the grader and the worker say to each other, as data, and how it travels.

``probe`` has jobs and what is seen of them, ``message`` what the worker sends, ``wire`` turns both
into bytes and back.
"""
