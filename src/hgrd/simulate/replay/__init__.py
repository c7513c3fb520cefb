"""Replay: witnesses as concrete launches."""
