# concept: import
# check: import, builds
from solutions.solution_01 import GPT2Config
