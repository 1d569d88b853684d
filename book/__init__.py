"""The course as a web site: one page for each lesson, solution and chapter (docs/adr/0022)."""
