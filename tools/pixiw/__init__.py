"""The tasks of ``pixi.toml`` on a machine without pixi. Standard library only; see ``pixiw``."""
