"""A learner's way through the course: attempts, hints, pages, reset, watch, doctor."""
