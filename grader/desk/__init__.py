"""What is around a learner's grading: attempts, hints, the way through the course."""
