"""Reports of launches whose analysis came to no verdict."""

from __future__ import annotations

from collections.abc import Iterator

from hgrd.findings.model import KernelReport, LaunchReport, OpenPair, Outcome
from hgrd.program.span import Span
from hgrd.symbolic.limits import OUT_OF_TIME


def out_of_time(kernel: KernelReport) -> bool:
    """Whether a kernel is unknown since there was no time for it: with more, it may be decided."""
    return kernel.outcome is Outcome.UNKNOWN and any(reason.startswith(OUT_OF_TIME) for reason in reasons(kernel))


def had_too_little_time(kernel: KernelReport, time_limit: float) -> bool:
    """Whether a kernel is unknown for want of time, and has not had all the seconds that one kernel may have."""
    return out_of_time(kernel) and sum(launch.seconds for launch in kernel.launches) < time_limit


def reasons(kernel: KernelReport) -> Iterator[str]:
    """Reasons why pairs of a kernel are open."""
    return (open_.reason for launch in kernel.launches for open_ in launch.open_pairs)


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
