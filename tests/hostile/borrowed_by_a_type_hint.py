# Tries: to import step 05 only where a checker of types would, and then everywhere.
# Holds: Only what the reference of step 07 imports is in the process at all.
# Verdict: fail
# Says: tried
# Step: s07
from typing import TYPE_CHECKING

from max.experimental.nn import Module

print("tried", flush=True)
if TYPE_CHECKING or Module:
    from solutions.solution_05 import GPT2Attention as GPT2MultiHeadAttention
