# Tries: to inherit step 05's solution in step 07.
# Holds: Only what the reference of step 07 imports is in the process at all.
# Verdict: fail
# Says: tried
# Step: s07
print("tried", flush=True)
from solutions.solution_05 import GPT2Attention


class GPT2MultiHeadAttention(GPT2Attention):
    pass
