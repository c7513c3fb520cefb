"""Keys of sites: which access of a trace a finding speaks of."""

from __future__ import annotations

from typing import TypeAlias

from hgrd.cuda.memory_model import AccessKind
from hgrd.findings.model import Site
from hgrd.simulate.trace import TraceSite

SiteKey: TypeAlias = tuple[object, ...]


def site_key(site: Site) -> SiteKey:
    """The key of a site of a finding: equal to that of the same access in a trace."""
    return (site.span, site.kind, site.scope)


def trace_key(site: TraceSite) -> SiteKey:
    """The key of a site of a trace."""
    scope = site.scope.value if site.scope is not None and site.kind is AccessKind.ATOMIC else ""
    return (site.span, site.kind, scope)
