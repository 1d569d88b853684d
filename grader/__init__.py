"""The grader: it reads, runs and judges one learner file, and knows no step by number."""

__version__ = "1.0.0"
"""The release, written here and nowhere else; ``pixiw`` and the release workflow read this line."""
