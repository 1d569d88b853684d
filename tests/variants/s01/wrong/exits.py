# concept: builds
# check: builds, import
import sys

sys.exit(0)
