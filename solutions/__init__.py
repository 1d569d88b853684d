"""The reference of each step. A learner's file may import those of earlier steps."""
