"""MAX: its engine, spellings, values and errors. No other room imports it."""
