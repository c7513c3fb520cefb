"""Members that a function allocates when they are null: each has memory of its own, unless it is stored twice."""

from __future__ import annotations

import pytest

from tests.checking import check, observed

PROGRAM = """
#include <cstring>
struct Model { size_t n; float *p, *m, *v; };
__global__ void shift(float *a, const float *b, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) a[i] = b[i + 1];  // place
}
__global__ void set(Model *model) { model->m = model->v; }
void unseen(Model *model);
Model *same(Model *model);
void unseen_place(float **place);
void step(Model *model, Model *other, float *given) {
  size_t n = model->n;
  STORES
  shift<<<(n + 255) / 256, 256>>>(FIRST, SECOND, n);
}
"""
LAZY = "if (model->m == nullptr) cudaMalloc(&model->m, n * 4);"
TWICE = "if (model->m == nullptr) { float *t; cudaMalloc(&t, n * 8); model->m = t; model->v = t; }"
SWAP = "for (int i = 0; i < 3; i++) { float *t = model->m; model->m = model->v; model->v = t; }"


@pytest.mark.parametrize(
    ("stores", "first", "second", "safe"),
    [
        (LAZY, "model->m", "model->v", True),
        (LAZY, "model->p", "model->v", True),
        (LAZY, "model->v", "model->m", True),
        (f"{LAZY} Model kept = *model;", "kept.m", "model->v", True),
        (f"{LAZY} {LAZY.replace('->m', '->v')}", "model->m", "model->v", True),
        (TWICE, "model->m", "model->v", False),
        (TWICE, "model->m", "model->p", False),
        (f"{LAZY} if (n > 5) model->p = model->m;", "model->p", "model->m", False),
        ("if (n > 5) model->p = model->v;", "model->p", "model->v", False),
        (f"{LAZY} {SWAP}", "model->m", "model->v", False),
        (f"{LAZY} if (n > 5) other->v = model->m;", "model->m", "other->v", False),
        (f"{LAZY} if (n > 5) *other = *model;", "other->m", "model->m", False),
        ("if (n > 5) model->m = given;", "given", "model->m", False),
    ],
)
def test_allocated_when_null(
    tmp_path_factory: pytest.TempPathFactory, stores: str, first: str, second: str, safe: bool
):
    found = _found(tmp_path_factory, stores, first, second)
    assert found == (["safe: 1 of 1 pairs"] if safe else [_may_be_one(first, second)])


LATER = "float *v = model->v; for (size_t i = 0; i < n; i++) { model->n++; STORE }"


@pytest.mark.parametrize(
    ("store", "first", "safe"),
    [
        ("", "model->m", True),
        (LAZY, "model->m", True),
        ("if (model->p == nullptr) cudaMalloc(&model->p, n * 4);", "model->m", True),
        ("model->p = model->m;", "model->m", False),
        ("model->m = model->v;", "model->m", False),
        ("model->m = given;", "model->m", True),
        ("float *t = model->m; model->m = model->v; model->v = t;", "model->m", False),
        ("memmove(&model->m, &model->v, sizeof(float *));", "model->m", False),
        ("unseen(model);", "model->m", False),
        ("unseen_place(&model->m);", "model->m", False),
        ("set<<<1, 1>>>(model);", "model->m", False),
        ("*other = *model;", "model->m", True),
        ("*model = *other;", "model->m", True),
        ("other->m = model->v; *model = *other;", "model->m", False),
    ],
)
def test_members_that_are_found_later(tmp_path_factory: pytest.TempPathFactory, store: str, first: str, safe: bool):
    found = _found(tmp_path_factory, LATER.replace("STORE", store), first, "v")
    assert found == (["safe: 1 of 1 pairs"] if safe else [_may_be_one(first, "model->v")])


@pytest.mark.parametrize(("store", "safe"), [("alike->n = 1;", True), ("alike->v = t;", False)])
def test_a_record_that_may_be_another_one(tmp_path_factory: pytest.TempPathFactory, store: str, safe: bool):
    made = f"float *t; cudaMalloc(&t, n * 8); if (n > 4) {{ model->m = t; {store} }} model->n++;"
    stores = f"Model *alike = same(model); for (size_t i = 0; i < n; i++) {{ {made} }}"
    found = _found(tmp_path_factory, stores, "model->m", "model->v")
    assert found == (["safe: 1 of 1 pairs"] if safe else [_may_be_one("model->m", "model->v")])


MADE = "float *t; cudaMalloc(&t, n * 8); if (n > 5) model->m = t;"


@pytest.mark.parametrize(
    ("stores", "first"),
    [
        (f"{MADE} other->n = 3;", None),
        (f"{MADE} unseen(model);", "model->m"),
        ("float *t; cudaMalloc(&t, n * 8); for (int i = 0; i < n; i++) { unseen(model); model->m = t; }", "model->m"),
    ],
)
def test_what_unseen_code_may_store_again(tmp_path_factory: pytest.TempPathFactory, stores: str, first: str | None):
    found = _found(tmp_path_factory, stores, "model->m", "model->v")
    assert found == (["safe: 1 of 1 pairs"] if first is None else [_may_be_one(first, "model->v")])


WORLD = "struct World { Model *model; }; void unseen_world(World *w); void other_step(World *w) {"


@pytest.mark.parametrize(
    ("stores", "first"),
    [("if (n > 6) two->v = t; one->m = t;", "t"), ("if (n > 5) one->m = t; if (n > 6) two->v = t;", "w->model->m")],
)
def test_a_record_that_is_found_twice(tmp_path_factory: pytest.TempPathFactory, stores: str, first: str):
    found = "size_t n = w->model->n; Model *one = w->model; unseen_world(w); Model *two = w->model;"
    launch = "shift<<<(n + 255) / 256, 256>>>(one->m, one->v, n); }"
    text = f"{PROGRAM.split('void step')[0]} {WORLD} {found} float *t; cudaMalloc(&t, n * 8); {stores} {launch}"
    found = observed(check(tmp_path_factory.mktemp("members"), text), text)["shift"]
    assert found == [_may_be_one(first, "w->model->v")]


def test_one_member_that_is_found_twice(tmp_path_factory: pytest.TempPathFactory):
    found = _found(tmp_path_factory, LATER.replace("STORE", ""), "model->v", "v")
    assert found == [_may_be_one("model->v'2", "model->v")]


@pytest.mark.parametrize("copy", ["memcpy", "memmove", "if (n > 5) memcpy"])
@pytest.mark.parametrize("before", ["", LAZY])
def test_pointers_that_are_copied_within_a_record(tmp_path_factory: pytest.TempPathFactory, before: str, copy: str):
    stores = f"{before} {copy}(&model->v, &model->m, sizeof(float *));"
    assert _found(tmp_path_factory, stores, "model->m", "model->v") == [_may_be_one("model->m", "model->v")]


def _may_be_one(first: str, second: str) -> str:
    return f"open: {first} and {second}: they may be the same memory".replace("->", ".")


def _found(tmp_path_factory: pytest.TempPathFactory, stores: str, first: str, second: str) -> list[str]:
    text = PROGRAM.replace("STORES", stores).replace("FIRST", first).replace("SECOND", second)
    return observed(check(tmp_path_factory.mktemp("members"), text), text)["shift"]
