"""Text for a terminal: findings and trials as lines with tones."""
