"""Sites get numbers in the order they are met, and keep them."""

from hgrd.cuda.memory_model import AccessKind
from hgrd.program.span import Span
from hgrd.simulate.trace import Sites, TraceSite


def test_sites_are_numbered_once():
    read = TraceSite(Span("a.cu", 1, 1), AccessKind.READ, None, False, "a[i]")
    write = TraceSite(Span("a.cu", 1, 1), AccessKind.WRITE, None, False, "a[i]")
    sites = Sites()
    assert [sites.number(s) for s in (read, write, read)] == [0, 1, 0]
    assert sites.sites == [read, write]
