"""Step 02: attention weights."""
