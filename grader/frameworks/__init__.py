"""What a course is written in. Each folder here is the one room that knows its framework."""
