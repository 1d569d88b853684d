"""From a file to its report: draw inputs, have the file run, judge, diagnose."""
