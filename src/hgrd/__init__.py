"""hgrd finds data races in CUDA programs before they run."""

__version__ = "0.1.0"
