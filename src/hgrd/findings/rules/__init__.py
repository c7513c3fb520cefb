"""Registry of the rules: each code, title, severity and documentation, written once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hgrd.findings.rules.barriers import BARRIER_AFTER_EXITS, BARRIER_DIVERGENCE, WRONG_WARP_MASK
from hgrd.findings.rules.collectives import STORAGE_REUSE
from hgrd.findings.rules.exchanges import EXCHANGE_IS_NO_BARRIER
from hgrd.findings.rules.races import DATA_RACE
from hgrd.findings.rules.rule import Rule, Severity
from hgrd.findings.rules.synchronization import (
    MISSING_FENCE,
    NARROW_SCOPE,
    PLAIN_LOCK_ACCESS,
    SPIN_LIVELOCK,
    UNGUARDED_DELEGATE,
)
from hgrd.findings.rules.unordered_work import UNORDERED_WORK

__all__ = [
    "BARRIER_AFTER_EXITS",
    "BARRIER_DIVERGENCE",
    "DATA_RACE",
    "EXCHANGE_IS_NO_BARRIER",
    "MISSING_FENCE",
    "NARROW_SCOPE",
    "PLAIN_LOCK_ACCESS",
    "RULES",
    "SPIN_LIVELOCK",
    "STORAGE_REUSE",
    "UNGUARDED_DELEGATE",
    "UNORDERED_WORK",
    "WRONG_WARP_MASK",
    "Rule",
    "Severity",
]

RULES: Final[Mapping[str, Rule]] = {
    rule.code: rule
    for rule in (
        DATA_RACE,
        BARRIER_DIVERGENCE,
        BARRIER_AFTER_EXITS,
        WRONG_WARP_MASK,
        MISSING_FENCE,
        NARROW_SCOPE,
        PLAIN_LOCK_ACCESS,
        SPIN_LIVELOCK,
        UNGUARDED_DELEGATE,
        STORAGE_REUSE,
        EXCHANGE_IS_NO_BARRIER,
        UNORDERED_WORK,
    )
}
"""The rules by code, in the order of their codes."""
