"""Engine: schedules the analyses of files."""
