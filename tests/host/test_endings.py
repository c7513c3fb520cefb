"""Arms that end the program are not run, and what comes behind them knows that they have not been entered."""

from pathlib import Path

import pytest

from hgrd.host.execution.endings import Endings
from hgrd.program.statements import Block, If
from hgrd.program.walk import nodes
from hgrd.source.options import SourceOptions
from hgrd.source.parse import parse_file
from tests.host.programs import launch


@pytest.mark.parametrize(
    ("arm", "ends"),
    [
        ("exit(1);", True),
        ('printf("%d %s", n, cudaGetErrorString(cudaGetLastError())); fflush(stderr); abort();', True),
        ('printf("%d", n);', False),  # goes on
        ("exit(1); n = 2;", False),
        ("n = 2; exit(1);", False),  # writes
        ('printf("%d", x[n]); exit(1);', False),  # reads memory that a kernel may write
        ('printf("%d", n++); exit(1);', False),
        ('printf("%d", given(n)); exit(1);', False),
        ("kernel<<<1, 32>>>(x, n); exit(1);", False),
        ("cudaDeviceSynchronize(); exit(1);", False),
        ("finish(n);", False),  # its own function
    ],
)
def test_what_only_tells_something_and_ends_the_program(tmp_path: Path, arm: str, ends: bool) -> None:
    text = f"""
    #include <cstdio>
    #include <cstdlib>
    __global__ void kernel(int *x, int n) {{ x[threadIdx.x] = n; }}
    int given(int n) {{ return n; }}
    void finish(int n) {{ exit(n); }}
    void run(int *x, int n) {{ if (n < 4) {{ {arm} }} }}
    """
    (tmp_path / "a.cu").write_text(text)
    program = parse_file(str(tmp_path / "a.cu"), SourceOptions())
    (run,) = (f for f in program.functions.values() if f.ref.name == "run")
    (test,) = (node for node in nodes(run.body) if isinstance(node, If))
    assert isinstance(test.then, Block)
    assert Endings(program.functions).has(test.then) == ends


def test_what_is_behind_an_arm_that_ends_the_program_has_its_opposite_as_a_fact(tmp_path: Path) -> None:
    body = 'if (n < 4 || n % 8) { fprintf(stderr, "%d", n); exit(1); } kernel<<<1, n>>>(d, n);'
    site = launch(tmp_path, f"void run(int *d, int n) {{ {body} }}")
    assert [fact.text for fact in site.facts if fact.kind.name == "GUARD"] == ["4 <= n", "n % 8 == 0"]
