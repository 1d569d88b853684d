"""The formats in which a class can be exported, as ``--for`` names them."""

WHOLE = ("canvas", "moodle", "roster", "feedback", "junit")
"""One file for the class, or for each step."""
EACH = ("text", "json", "gradescope", "check50", "github")
"""One file for each person and step."""
