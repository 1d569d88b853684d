"""Explains a failing program: a trace beside the reference, and repairs that were graded."""
