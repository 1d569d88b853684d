"""Everything that is generated: stubs, tasks, and the reports and pictures in lessons."""
