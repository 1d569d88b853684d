"""Writes text with the GPT-2 that the course builds: ``pixi run gpt2``."""
