# concept: sizes
# check: vocabulary
from dataclasses import dataclass


@dataclass
class GPT2Config:
    pass
