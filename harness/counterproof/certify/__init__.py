"""One certification: calibration, the run, its verdicts, the level and the exit."""
