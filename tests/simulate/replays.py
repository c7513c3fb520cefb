"""Replays of witnesses that a test looks at, changes, or leaves out."""

from collections.abc import Callable

from msgspec import Struct

from hgrd.findings.model import Divergence, Finding
from hgrd.races.results.evidence import BarrierEvidence, Evidence, KernelAtLaunch


class Replays(Struct):
    """What is done with races, and with findings about barriers: nothing, where a test does not say."""

    race: Callable[[KernelAtLaunch, Finding, Evidence], Finding] = lambda _at, finding, _evidence: finding
    barrier: Callable[[KernelAtLaunch, Divergence, BarrierEvidence], Divergence] = lambda _at, finding, _evidence: (
        finding
    )
