"""All that the grader knows about step 03."""
