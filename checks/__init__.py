"""The course's content for the grader: rubrics, float64 oracles and known misconceptions."""
