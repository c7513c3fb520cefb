"""Reports of launches whose analysis came to no verdict."""

from __future__ import annotations

from hgrd.findings.model import LaunchReport, OpenPair, Outcome
from hgrd.program.span import Span


def undecided_launch(
    kernel: str,
    kernel_span: Span,
    reason: str,
    *,
    at: Span | None = None,
    launch_span: Span | None = None,
    configuration: str = "<<<?>>>",
    seconds: float = 0.0,
) -> LaunchReport:
    """Report that says why there is no verdict on a launch; `at` is the place of the reason (the kernel itself)."""
    return LaunchReport(
        kernel=kernel,
        kernel_span=kernel_span,
        launch_span=launch_span,
        configuration=configuration,
        outcome=Outcome.UNKNOWN,
        findings=(),
        open_pairs=(OpenPair(None, None, None, (), reason, at or kernel_span),),
        assumptions=(),
        notes=(),
        accesses=0,
        pairs=0,
        discharged=0,
        seconds=seconds,
    )
