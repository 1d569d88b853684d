"""Python with the course in it: ``./pixiw run python``, from any folder (docs/adr/0019)."""
