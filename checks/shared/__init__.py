"""What several steps share: formulas, trials, mistakes and figures."""
