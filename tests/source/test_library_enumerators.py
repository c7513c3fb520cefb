"""Values of enumerators that clang only names: those of the shipped headers."""

import pytest

from hgrd.source.declarations.library_enumerators import enumerators_in, library_enumerators
from hgrd.source.own_headers import HEADERS


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("typedef enum { A, B = 5, C } T;", {("T", "A"): 0, ("T", "B"): 5, ("T", "C"): 6}),
        ("enum class T : unsigned char { A = 0x10, B };", {("T", "A"): 16, ("T", "B"): 17}),
        ("enum T { A = -1, B /* two */ };", {("T", "A"): -1, ("T", "B"): 0}),
        ("enum T { A = 1 << 4, B = A, C };", {("T", "A"): 16, ("T", "B"): 16, ("T", "C"): 17}),
        ("typedef enum Tag { A = 2 } T;", {("Tag", "A"): 2, ("T", "A"): 2}),
        ("__HGRD_ENUM(T, A = 3, B)", {("T", "A"): 3, ("T", "B"): 4}),
        ("enum T { A = sizeof(int), B, C = 9 };", {("T", "C"): 9}),
        ("struct S { enum { A = 1 }; };", {}),
        ("// enum T { A };", {}),
    ],
)  # fmt: skip
def test_enumerators_of_a_text(text: str, found: dict[tuple[str, str], int]) -> None:
    assert dict(enumerators_in(text)) == found


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (("cublasStatus_t", "CUBLAS_STATUS_SUCCESS"), 0),
        (("cublasOperation_t", "CUBLAS_OP_T"), 1),
        (("cudaMemcpyKind", "cudaMemcpyDeviceToDevice"), 3),
        (("cudaError", "cudaErrorNotReady"), 600),
        (("CUresult", "CUDA_ERROR_INVALID_VALUE"), 1),
    ],
)
def test_enumerators_of_the_headers(key: tuple[str, str], value: int) -> None:
    assert library_enumerators(HEADERS)[key] == value
