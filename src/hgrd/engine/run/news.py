"""News of a run: what the process of a program tells, as it finds it."""

from __future__ import annotations

from typing import Protocol, TypeAlias

from msgspec import Struct

from hgrd.engine.inputs import Failure
from hgrd.findings.model import KernelReport, Message
from hgrd.program.program import Function
from hgrd.program.span import Span


class KernelName(Struct, frozen=True):
    """A kernel in the sources; the instances of a template are one."""

    name: str
    span: Span


def kernel_name(kernel: Function) -> KernelName:
    """The kernel as reports name it."""
    return KernelName(kernel.ref.name, kernel.span)


class KernelsNamed(Struct, frozen=True):
    """What is to be analysed of a program: sent when it is parsed, and again when its host code has been followed.

    `files` could be parsed; `defined` are the names of all kernels, `kernels` those that are analysed.
    """

    files: tuple[str, ...]
    defined: tuple[str, ...]
    kernels: tuple[KernelName, ...]
    messages: tuple[Message, ...] = ()


class KernelDecided(Struct, frozen=True):
    """A kernel, with all its launches and instances."""

    report: KernelReport
    messages: tuple[Message, ...]

    @property
    def name(self) -> KernelName:
        return KernelName(self.report.kernel, self.report.span)


News: TypeAlias = KernelsNamed | KernelDecided | Failure


class Progress(Struct, frozen=True):
    """How far a run is: programs and kernels, those that are done and all that are known so far."""

    programs_done: int
    programs: int
    kernels_done: int
    kernels: int
    seconds: float


class Listener(Protocol):
    """Where the news of a run go at once."""

    def messages(self, messages: tuple[Message, ...]) -> None: ...
    def kernel(self, report: KernelReport) -> None: ...
    def failure(self, failure: Failure) -> None: ...
    def progress(self, progress: Progress) -> None: ...
