"""`python -m tests.guide` writes docs/cuda-coverage.md."""

from __future__ import annotations

from tests.guide.page import page
from tests.guide.reading import programs
from tests.guide.test_guide import PAGE

if __name__ == "__main__":
    PAGE.write_text(page(programs()))
