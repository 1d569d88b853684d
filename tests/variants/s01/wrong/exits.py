# concept: builds
# check: builds
import sys

sys.exit(0)
