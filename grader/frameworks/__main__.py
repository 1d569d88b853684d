"""``python -m grader.frameworks``: does what the framework needs once per machine."""

import sys

from grader import frameworks

if __name__ == "__main__":
    try:
        frameworks.current().prepare()
    except RuntimeError as problem:
        sys.exit(str(problem))
