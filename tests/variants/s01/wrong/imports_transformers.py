# concept: builds
# check: import, builds
from transformers import GPT2Config
