# Tries: to take step 03's function from step 06, which uses it.
# Holds: Step 03's reference imports nothing of the course, so nothing of the course is there.
# Verdict: fail
# Says: tried
# Step: s03
print("tried", flush=True)
try:
    from solutions.solution_06 import scaled_dot_product_attention
except ImportError:
    from solutions.solution_03 import scaled_dot_product_attention
