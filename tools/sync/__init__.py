"""Everything that is generated: stubs, tasks, and the reports and figures in lessons."""
