"""Objects of classes with members of library classes, which functions return and take by value."""

from pathlib import Path

import pytest

from tests.checking import check, decided, expected, observed

PROGRAM = """
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

struct Free { void operator()(float *p) const { cudaFree(p); } };

class Shared {
  std::shared_ptr<float> data_;
  int n_;

public:
  explicit Shared(int n) : n_(n) {
    float *p = nullptr;
    cudaMalloc(&p, n * sizeof(float));
    data_.reset(p, Free());
  }
  float *get() const { return data_.get(); }
  int n() const { return n_; }
  Shared copy() const { Shared other(n_); return other; }
  Shared view() const { return *this; }
};

class Owner {
  std::unique_ptr<float, Free> data_;
  int n_;

public:
  explicit Owner(int n) : n_(n) {
    float *p = nullptr;
    cudaMalloc(&p, n * sizeof(float));
    data_.reset(p);
  }
  float *get() const { return data_.get(); }
  int n() const { return n_; }
};

struct Both { Owner in, out; };

Owner make(int n) { Owner made(n); return made; }
Both make_both(int n) { return Both{make(n), make(n)}; }

class Named {
  std::map<std::string, float *> named_;
  std::vector<float *> listed_;
  int n_;

public:
  explicit Named(int n) : n_(n) {
    float *p = nullptr;
    cudaMalloc(&p, n * sizeof(float));
    named_["first"] = p;
    listed_.push_back(p);
  }
  float *named() { return named_["first"]; }
  float *listed() { return listed_[0]; }
  void drop(const char *name) { named_.erase(name); }
  int n() const { return n_; }
  Named same() const { Named other(*this); return other; }
};

// VERDICT
__global__ void shift(const float *from, float *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n)
    to[i] =  // to
        from[i + 1];  // from
}

// safe: 1 of 1 pairs
__global__ void fill(float *rows, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < width) rows[blockIdx.y * width + x] = x;
}

int main() { BODY }
"""
SAFE = "safe: 1 of 1 pairs"
RACE = "race: read from, write to; global; warp block"
FILLED = "fill<<<dim3(2, 8), 150>>>(a.get(), a.n());"


@pytest.mark.parametrize(
    ("verdict", "body"),
    (
        (SAFE, "Shared a(300); Shared b = a.copy(); shift<<<1, 128>>>(a.get(), b.get(), b.n());"),
        (RACE, "Shared a(300); Shared b = a.view(); shift<<<1, 128>>>(a.get(), b.get(), b.n());"),
        (RACE, "Shared a(300); Shared b(5); b = a; shift<<<1, 128>>>(a.get(), b.get(), b.n());"),
        (SAFE, "Both two = make_both(512); shift<<<1, 128>>>(two.in.get(), two.out.get(), two.in.n());"),
        (RACE, "Both two = make_both(512); shift<<<1, 128>>>(two.in.get(), two.in.get(), two.in.n());"),
        (SAFE, "Both x = make_both(9); Owner o = std::move(x.in); shift<<<1, 128>>>(o.get(), x.out.get(), o.n());"),
    ),
)
def test_one_owner_or_two(verdict: str, body: str, tmp_path: Path) -> None:
    text = PROGRAM.replace("VERDICT", verdict).replace("BODY", body)
    assert observed(check(tmp_path, text), text)["shift"] == expected(text)["shift"]


MAY_BE_ONE = "may be the same memory"


@pytest.mark.parametrize(
    ("one", "body"),
    (
        (True, "Named a(64); Named b = a.same(); shift<<<1, 64>>>(a.named(), b.named(), a.n());"),
        (True, "Named a(64); Named b = a.same(); shift<<<1, 64>>>(a.listed(), b.listed(), a.n());"),
        (True, "Named a(64); Named b = a.same(); shift<<<1, 64>>>(a.listed(), b.named(), a.n());"),
        (False, "Named a(64); Named b(64); shift<<<1, 64>>>(a.listed(), b.listed(), a.n());"),
    ),
)
def test_what_copies_of_containers_hold(one: bool, body: str, tmp_path: Path) -> None:
    report = check(tmp_path, PROGRAM.replace("BODY", body))
    (launch,) = (launch for k in report.kernels if k.kernel == "shift" for launch in k.launches)
    assert [MAY_BE_ONE in pair.reason for pair in launch.open_pairs] == [True] * one
    assert decided(report) == (2, 2)


@pytest.mark.parametrize("made", ("Shared a(300)", "Shared a = Shared(300).copy()", "Owner a = make(300)"))
def test_numbers_beside_a_pointer_are_known(made: str, tmp_path: Path) -> None:
    """Rows of `a.n()` elements are apart if a.n() is 300, and not if it may be less than the threads."""
    report = check(tmp_path, PROGRAM.replace("BODY", f"{made}; {FILLED}"))
    (launch,) = (launch for k in report.kernels if k.kernel == "fill" for launch in k.launches)
    assert {fact.text for fact in launch.assumptions} >= {"width == 300"}
    assert (launch.pairs, launch.discharged, launch.findings) == (1, 1, ())


def test_numbers_beside_a_container_are_kept(tmp_path: Path) -> None:
    body = 'Named a(300); a.drop("none"); fill<<<dim3(2, 8), 150>>>(a.listed(), a.n());'
    report = check(tmp_path, PROGRAM.replace("BODY", body))
    (launch,) = (launch for k in report.kernels if k.kernel == "fill" for launch in k.launches)
    assert {fact.text for fact in launch.assumptions} >= {"width == 300"}
    assert (launch.pairs, launch.discharged, launch.findings) == (1, 1, ())
