"""Step 01: softmax."""
