"""What every room may use: the frozen results of a grading, files, texts, the course list."""
