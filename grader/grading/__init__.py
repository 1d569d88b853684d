"""From a file to its report: draw inputs, have the file run, judge, diagnose.

``pipeline.grade`` does it; ``inputs`` draws ahead for callers with time to spare.
"""
