"""What several steps share: formulas, trials, mistakes and the parts of exhibits."""
