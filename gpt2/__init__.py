"""Writes text with the GPT-2 that the course builds: ``./pixiw run gpt2``."""
