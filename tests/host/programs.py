"""Host programs as strings, run through the real front end."""

from __future__ import annotations

from pathlib import Path

from hgrd.host.model import FactKind, HostRun, LaunchSite
from hgrd.host.run import run_host
from hgrd.source.options import SourceOptions
from hgrd.source.parse import parse_file

KERNEL = """
#include <cuda_runtime.h>
#include <cassert>
#include <cstdio>
#include <cstdlib>
__global__ void kernel(int* data, int n) { data[threadIdx.x % n] = n; }
"""


def host(folder: Path, *sources: str, asserts: bool = True) -> HostRun:
    """What the host code in the sources, linked together, does."""
    files = [folder / f"{name}.cu" for name, _ in zip("abc", sources, strict=False)]
    for file, source in zip(files, sources, strict=True):
        file.write_text(source)
    return run_host(tuple(parse_file(str(file), SourceOptions()) for file in files), asserts=asserts)


def launch(folder: Path, main: str, *, asserts: bool = True) -> LaunchSite:
    """The only launch of a program that has KERNEL before its host code."""
    run = host(folder, KERNEL + main, asserts=asserts)
    assert len(run.launches) == 1
    return run.launches[0]


def facts(site: LaunchSite, kind: FactKind) -> list[str]:
    return [fact.text for fact in site.facts if fact.kind is kind]
