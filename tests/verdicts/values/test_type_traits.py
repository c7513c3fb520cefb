"""Traits of types and numeric limits of the standard library are constants of an instance."""

import pytest

from hgrd.engine.analysis.program import analyze
from hgrd.findings.model import Outcome
from hgrd.findings.options import AnalysisOptions
from hgrd.source.options import SourceOptions
from hgrd.source.parse import parse_file
from tests.checking import verdicts

test_members_of_traits = verdicts("""
#include <type_traits>
struct complex_t { float re, im; };

template <class Weight> struct Traits {
  using weight_t = Weight;
  static constexpr bool kIsComplex = std::is_same_v<weight_t, complex_t>;
  static constexpr bool kIsReal = !std::is_same<typename std::remove_cv<int>::type, int>::value
                                  || std::is_floating_point<weight_t>::value;
};

// safe: 3 of 3 pairs
template <class Traits> __global__ void real(float *out) {
  __shared__ float s[64];
  s[threadIdx.x] = threadIdx.x;
  if (!Traits::kIsComplex) __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}

// race: read reversed, write own; shared; block
template <class Traits> __global__ void complex(float *out) {
  __shared__ float s[64];
  s[threadIdx.x] = threadIdx.x;  // own
  if (!Traits::kIsComplex) __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];  // reversed
}

int main() {
  float *d;
  cudaMalloc(&d, 4 * 64 * sizeof(float));
  real<Traits<float>><<<4, 64>>>(d);
  complex<Traits<complex_t>><<<4, 64>>>(d);
}
""")

VALUES = """
#include <limits>
#include <type_traits>
#include <cstdint>
enum Color : int { RED };
enum class Kind { A };
typedef unsigned int word;
struct Point { int x; };
struct Yes : std::true_type {};
template <class T> struct Wide : std::integral_constant<bool, sizeof(T) == 8> {};
template <class T> constexpr bool is_word_v = std::is_same_v<T, word>;
template <class T, class U, int N> __global__ void k(int *a) {
  if (VALUE) a[threadIdx.x] = 0; else a[0] = threadIdx.x;
}
int main() { int *a; cudaMalloc(&a, 256); k<TYPES><<<1, 64>>>(a); }
"""


@pytest.mark.parametrize(
    ("value", "types"),
    (
        ("std::is_same_v<T, U>", "float, float, 1"),
        ("!std::is_same_v<T, U>", "float, double, 1"),
        ("std::is_same_v<T, U>", "uint32_t, word, 1"),
        ("std::is_same_v<T, U>", "std::uint64_t, size_t, 1"),
        ("!std::is_same<T, U>::value", "unsigned, int, 1"),
        ("!std::is_same<T, U>::value", "long, long long, 1"),
        ("!std::is_same<T, U>::value", "char, signed char, 1"),
        ("!std::is_same<T, U>::value", "const int, int, 1"),
        ("std::is_same<T, U>::value", "Point, Point, 1"),
        ("!std::is_same<T, U>::value", "Point, Yes, 1"),
        ("std::is_integral_v<T> && !std::is_floating_point_v<T>", "bool, int, 1"),
        ("std::is_integral<T>::value && std::is_signed<T>::value", "short, int, 1"),
        ("std::is_unsigned<T>::value && !std::is_signed_v<T>", "unsigned char, int, 1"),
        ("std::is_floating_point<T>::value && std::is_arithmetic_v<U>", "double, char, 1"),
        ("std::is_pointer<T>::value && !std::is_pointer<U>::value", "int *, int, 1"),
        ("std::extent<int[5]>::value == 5 && std::extent_v<int[5][7], 1> == 7", "int, int, 1"),
        ("std::numeric_limits<T>::digits == 31 && std::numeric_limits<U>::digits == 53", "int, double, 1"),
        ("!std::numeric_limits<T>::is_integer && std::numeric_limits<U>::is_signed", "float, int, 1"),
        ("std::integral_constant<int, N>::value == 3", "int, int, 3"),
        ("T::value && !U::value", "Yes, std::false_type, 1"),
        ("Wide<T>::value && !Wide<U>::value", "double, float, 1"),
        ("is_word_v<T> && !is_word_v<U>", "unsigned, int, 1"),
    ),
)
def test_values(value: str, types: str, tmp_path) -> None:
    """The array is written as the value says: each thread its own element, and else all threads the first."""
    assert _outcome(value, types, tmp_path) is Outcome.SAFE
    assert _outcome(f"!({value})", types, tmp_path) is Outcome.RACE


@pytest.mark.parametrize(
    ("value", "types"),
    (
        ("std::is_same_v<T, U>", "Color, int, 1"),  # of one size
        ("std::is_integral_v<T>", "Color, int, 1"),
        ("std::is_empty_v<T>", "Point, int, 1"),
    ),
)
def test_what_is_not_certain(value: str, types: str, tmp_path) -> None:
    assert _outcome(value, types, tmp_path) is Outcome.UNKNOWN
    assert _outcome(f"!({value})", types, tmp_path) is Outcome.UNKNOWN


def _outcome(value: str, types: str, folder) -> Outcome:
    file = folder / "program.cu"
    file.write_text(VALUES.replace("VALUE", value).replace("TYPES", types))
    report = analyze((parse_file(str(file), SourceOptions()),), AnalysisOptions())
    (kernel,) = report.kernels
    return kernel.outcome
