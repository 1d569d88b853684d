"""The grader: it reads, runs and judges one learner file, and knows no step by number."""
