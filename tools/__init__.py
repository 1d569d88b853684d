"""Programs that make what the course ships. No learner needs to run them."""
