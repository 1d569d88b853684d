"""Small experiments about speed, for the lessons' figures: ``python -m tools.lab NAME``."""
