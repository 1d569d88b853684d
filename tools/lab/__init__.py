"""Small experiments on speed, for the lessons' figures: ``python -m tools.lab NAME``."""
