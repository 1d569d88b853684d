"""One pure function from a report to text for each output format."""
