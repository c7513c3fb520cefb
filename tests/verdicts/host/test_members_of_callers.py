"""Pointers in records that functions find which are followed for any arguments: their callers are too large."""

from pathlib import Path

import pytest

from tests.checking import check, observed

TEXT = """
__global__ void shift(float *out, const float *in) { out[threadIdx.x] = in[threadIdx.x + 1]; }
struct Pair { float *x, *y; };
void METHOD
int main() {
  float *a, *b;
  cudaMalloc(&a, 4096);
  cudaMalloc(&b, 4096);
  LARGE
  STORES
  go(&pair);
}
"""
OPEN = ["open: pair.x and pair.y: they may be the same memory"]
SAFE = ["safe: 1 of 1 pairs"]


@pytest.mark.parametrize(
    ("stores", "expected"),
    [
        ("Pair pair; pair.x = a; pair.y = a;", OPEN),
        ("Pair pair; pair.x = a; pair.y = a + 1;", OPEN),
        ("Pair pair = {a, a};", OPEN),
        ("Pair pair; float *both = a; pair.x = both; pair.y = a;", OPEN),
        ("Pair pair; pair.x = a; pair.y = b;", SAFE),
        ("Pair pair = {a, b};", SAFE),
    ],
)
def test_members_that_the_program_gives_one_pointer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stores: str, expected: list[str]
):
    monkeypatch.setattr("hgrd.host.run.STEPS", 300)
    text = TEXT.replace("METHOD", "go(Pair *pair) { shift<<<1, 64>>>(pair->x, pair->y); }")
    text = text.replace("LARGE", "int v = 0; " + "v = v * 3 + 1;" * 300).replace("STORES", stores)
    assert observed(check(tmp_path, text), text)["shift"] == expected


RECORDS = """
struct Three { float *x, *y, *z; };
struct Outer { int n; Three three; };
"""


@pytest.mark.parametrize(
    ("stores", "expected"),
    [
        ("outer.three.x = a; outer.three.z = a;", SAFE),
        ("outer.three.x = a; outer.three.y = a + 64;", OPEN),
        ("outer.three.x = a; outer.three.y = outer.three.x + 64;", OPEN),
        ("outer.three.x = a; outer.three.z = outer.three.x + 64;", SAFE),
        ("Three *inner = &outer.three; inner->x = a; inner->y = a;", OPEN),
        ("outer.three.z = made(&outer.three.x);", SAFE),
        ("outer.three.y = made(&outer.three.x);", OPEN),
        ("cudaMalloc(&outer.three.x, 64); make(&outer.three.z);", SAFE),
    ],
)
def test_only_these_members_may_be_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stores: str, expected: list[str]
):
    """Members of a member, too; what a call is given the address of says nothing of the other members."""
    monkeypatch.setattr("hgrd.host.run.STEPS", 300)
    method = """go(Outer *pair) { shift<<<1, 64>>>(pair->three.x, pair->three.y); }
    float *made(float **of) { cudaMalloc(of, 4096); return *of; }
    void make(float **of) { float *one; cudaMalloc(&one, 4096); *of = one; }"""
    text = TEXT.replace("struct Pair { float *x, *y; };", RECORDS).replace("METHOD", method)
    text = text.replace("LARGE", "int v = 0; " + "v = v * 3 + 1;" * 300).replace("STORES", f"Outer outer; {stores}")
    text = text.replace("go(&pair)", "go(&outer)")
    expected = [line.replace("pair.", "pair.three.") for line in expected]
    assert observed(check(tmp_path, text), text)["shift"] == expected


@pytest.mark.parametrize(
    ("stores", "expected"),
    [
        ("three.x = a; three.y = b; three.z = b;", SAFE),
        (
            "three.x = a; three.y = b; three.z = a;",
            ["open: three.x and (three.y or three.z): they may be the same memory"],
        ),
    ],
)
def test_one_of_two_members_may_be_what_each_of_them_may_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stores: str, expected: list[str]
):
    monkeypatch.setattr("hgrd.host.run.STEPS", 300)
    method = "go(Three *three, int n) { shift<<<1, 64>>>(three->x, n > 2 ? three->y : three->z); }"
    text = TEXT.replace("struct Pair { float *x, *y; };", RECORDS).replace("METHOD", method)
    text = text.replace("LARGE", "int v = 0; " + "v = v * 3 + 1;" * 300).replace("STORES", f"Three three; {stores}")
    text = text.replace("go(&pair)", "go(&three, v)")
    assert observed(check(tmp_path, text), text)["shift"] == expected
