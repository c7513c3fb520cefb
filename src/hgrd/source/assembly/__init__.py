"""Inline assembly: from PTX to what CUDA's own device functions and operators say."""
