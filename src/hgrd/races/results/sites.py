"""Sites of findings: how findings name accesses, facts and values."""

from __future__ import annotations

import re
from typing import TypeAlias

from hgrd.findings.model import FactUse, Site
from hgrd.host.model import Fact
from hgrd.protocol.model import Access
from hgrd.terms import Term, brief, show
from hgrd.terms.rewrite import bottom_up

SiteKey: TypeAlias = tuple[object, ...]


def key_of(a: Access, b: Access) -> SiteKey:
    """The key of a pair: pairs with equal keys are one finding."""
    return (*sorted((_site_key(a), _site_key(b))), a.space)


def _site_key(a: Access) -> tuple[str, int, int, str, str]:
    return (a.span.file, a.span.line, a.span.column, a.kind.value, a.scope.value if a.scope is not None else "")


def site_of(access: Access) -> Site:
    """The place of an access in the source."""
    scope = access.scope.value if access.scope is not None else ""
    return Site(access.span, access.kind, access.target.name, access.text, scope)


def use_of(fact: Fact) -> FactUse:
    """A fact as reports list it."""
    return FactUse(fact.text, fact.kind.value, fact.span)


def outermost(terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """The terms that are not part of another one of them."""
    inner = {x for t in terms for x in bottom_up(t.args)}
    return tuple(t for t in terms if t not in inner)


def said(term: Term) -> str:
    """A short print of a term of one thread or of both."""
    text = show(brief(term)).replace("@1", "").replace("@2", "")
    return text if len(text) <= 80 else text[:77] + "..."


def listed(symbols: tuple[str, ...]) -> str:
    """The first few names, as the source has them."""
    return ", ".join(list(dict.fromkeys(re.split("[@']", name)[0] for name in symbols))[:3])
