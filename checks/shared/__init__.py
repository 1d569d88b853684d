"""What several steps share: formulas, trials, mistakes and what exhibits are made of."""
