"""Processes of this machine, for tests of what a run leaves behind."""

from pathlib import Path


def _state(process: str) -> tuple[str, int]:
    """State and parent of a process; ("Z", 0) where there is none."""
    try:
        state, parent = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[:2]
    except OSError:
        return "Z", 0
    return state, int(parent)


def alive(process: int) -> bool:
    """Whether it runs: one that has ended and that nobody has waited for does not."""
    return _state(str(process))[0] != "Z"


def started_by(process: int) -> set[int]:
    """All processes that run below this one."""
    parents = {int(p.name): _state(p.name) for p in Path("/proc").iterdir() if p.name.isdigit()}
    found = {process}
    while more := {p for p, (state, parent) in parents.items() if parent in found and state != "Z"} - found:
        found |= more
    return found - {process}
