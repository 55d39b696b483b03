"""Requirements, checks and sabotages: the suites of Counterproof."""
