"""`python -m hgrd.findings.rules docs/rules` writes the page of each rule, and their table, into a folder."""

from __future__ import annotations

import sys
from pathlib import Path

from hgrd.findings.rules import RULES
from hgrd.findings.rules.page import index, page


def main(arguments: list[str]) -> int:
    """0 after writing, 2 where the arguments are not one folder."""
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        print("usage: python -m hgrd.findings.rules FOLDER", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    for rule in RULES.values():
        (folder / f"{rule.code}.md").write_text(page(rule))
    (folder / "README.md").write_text(index(RULES.values()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
