"""Includes, headers that are implied, repairs and Makefiles: what is read from text alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from hgrd.source.clang.diagnostics import errors_in
from hgrd.source.text.implied_headers import implied_headers
from hgrd.source.text.includes import scan, write_shadows
from hgrd.source.text.repairs import repaired


def test_scan_follows_the_users_files(tmp_path: Path) -> None:
    user, system = tmp_path / "user", tmp_path / "system"
    for directory in (user / "sub", system):
        directory.mkdir(parents=True)
    (user / "a.cu").write_text('#include "sub/b.h"\n  #  include <sys.h>\n#include <gone.h>\n// #include <x.h>\n')
    (user / "sub" / "b.h").write_text('#include "c.h"\n#include <a.cu>\n')
    (user / "sub" / "c.h").write_text("#include <sys.h>\n")
    (system / "sys.h").write_text("#include <never_looked_at.h>\n")
    found = scan(str(user / "a.cu"), (str(user),), (str(system),))
    assert list(found.texts) == [str(user / "a.cu"), str(user / "sub" / "b.h"), str(user / "sub" / "c.h")]
    assert (found.system, found.missing) == (("sys.h",), ("gone.h",))


def test_shadows_stay_in_their_directory(tmp_path: Path) -> None:
    assert write_shadows(("a/b.h",), tmp_path / "shadow")
    assert (tmp_path / "shadow" / "a" / "b.h").read_bytes() == b""
    assert not write_shadows(("../outside.h",), tmp_path / "shadow")
    assert not (tmp_path / "outside.h").exists()
    assert not write_shadows(("x" * 300 + ".h",), tmp_path / "shadow")


@pytest.mark.parametrize(
    ("text", "language", "headers"),
    [
        (b"int x;", "hip", ()),
        (b"std::vector<int> v; std :: sort(a, b);", "hip", ("algorithm", "vector")),
        (b"std::vector<int> v;", "c", ()),
        (b"using namespace std; string s;", "c++", ("string",)),
        (b"string s; vector v;", "c++", ()),
        (b"gettimeofday(&t, 0);", "c", ("sys/time.h",)),
        (b"int n = atoi(v[1]);", "c++", ("stdlib.h",)),
        (b"t.gettimeofday(); x->usleep(); a::memalign();", "c++", ()),
    ],
)
def test_implied_headers(text: bytes, language: str, headers: tuple[str, ...]) -> None:
    assert implied_headers(text, language) == headers


@pytest.mark.parametrize(
    ("text", "better"),
    [
        (b"k<<<1, 2>>>(3);", None),
        (b"k << <1, 2>> >(3);", b"k <<< 1, 2 >>>(3);"),
        (b"k< << 1,\n 2 >>  > (3);", b"k<<<  1,\n 2   >>> (3);"),
        (b"a << b; vector<vector<A<int> > > v;", None),
        (b"cout << x << y; f(a < b);", None),
    ],
)
def test_launches_are_put_together(text: bytes, better: bytes | None) -> None:
    assert repaired(text) == better


def test_errors_of_clang() -> None:
    said = (
        "a.cu:3:7: warning: w\nC:/b.h:1:2: error: one: two\nerror: no file\n"
        "a.cu:4:1: fatal error: 'x.h' file not found\n"
    )
    assert [str(error.span) + " " + error.message for error in errors_in(said)] == [
        "C:/b.h:1:2 one: two",
        "<builtin>:0:0 no file",
        "a.cu:4:1 'x.h' file not found",
    ]


def test_headers_of_the_project_are_found_without_being_named(tmp_path: Path) -> None:
    source, common = tmp_path / "samples" / "one", tmp_path / "common" / "inc"
    source.mkdir(parents=True)
    common.mkdir(parents=True)
    (source / "a.cu").write_text("#include <shared.h>\n#include <stdio.h>\n")
    (common / "shared.h").write_text("#include <other.h>\n")
    (common / "other.h").write_text("")
    found = scan(str(source / "a.cu"), (), (), nearby=True)
    assert found.nearby == (str(common),)
    assert found.missing == ("stdio.h",)
    assert len(found.texts) == 3
    assert scan(str(source / "a.cu"), (), ()).missing == ("shared.h", "stdio.h")
    (tmp_path / "samples" / ".git").mkdir()
    assert scan(str(source / "a.cu"), (), (), nearby=True).nearby == ()
