"""Concrete runs of host code: deques, queues and stacks, elements that are erased, and what long loops leave."""

from math import inf
from pathlib import Path

import pytest

from hgrd.program.linked import link
from hgrd.simulate.program_run.concrete_run import run_beside_launches
from tests.checking import parse

PROGRAM = """
#include <cuda_runtime.h>
#include <deque>
#include <memory>
#include <queue>
#include <stack>
#include <vector>
__global__ void put(int *p, int at, int v) { p[at + threadIdx.x] = v; }
struct Job { int *p; int at; };
struct Buffer {
  short *numbers;
  int at;
  explicit Buffer(int at) : at(at) { cudaMallocHost(&numbers, 1 << 20); }
};
class Lane {
 public:
  struct Item { int at; };
  ~Lane() { cudaDeviceSynchronize(); }
  std::deque<Item> items;
};
int main() {
  int *p;
  cudaMalloc(&p, 1 << 20);
  cudaStream_t s, t;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  int a = 0, b = 0;
  BODY
  put<<<1, 32, 0, s>>>(p, a, 1);
  put<<<1, 32, 0, t>>>(p, b, 2);
  AFTER
  cudaDeviceSynchronize();
}
"""


def _run(folder: Path, body: str, after: str = "") -> tuple[int, bool]:
    """How many races a run shows, and whether it shows that there are none."""
    tables = link((parse(folder, PROGRAM.replace("BODY", body).replace("AFTER", after)),))
    found = run_beside_launches(tables, tables.functions["main"], inf)
    return len(found.races), bool(found.apart)


APART, SAME = (0, True), (1, False)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("std::deque<int> q; q.push_back(0); q.push_back(32); q.pop_front(); b = q.front();", APART),
        ("std::deque<int> q; q.push_back(0); q.push_back(32); b = q.front();", SAME),
        ("std::deque<Job> q; q.push_back({p, 64}); q.push_back({p, 32}); q.pop_front(); b = q[0].at;", APART),
        ("std::deque<int> q; for (int i = 0; i < 9; i++) { q.push_back(i * 32); while (q.size() > 2) q.pop_front(); }"
         " a = q.front(); b = q.back();", APART),
        ("std::queue<int> q; q.push(32); q.push(0); q.pop(); b = q.front();", SAME),
        ("std::queue<int> q; q.emplace(32); q.emplace(0); b = q.front();", APART),
        ("std::stack<int> q; q.push(32); q.push(0); q.pop(); b = q.top();", APART),
        ("std::stack<int> q; q.push(32); q.push(0); b = q.top();", SAME),
        ("std::queue<int> q; q.push(0); q.pop(); b = q.empty() ? 32 : 0;", APART),
        ("std::vector<int> v{0, 32, 64}; v.erase(v.begin()); b = v[0]; a = v[1];", APART),
        ("std::vector<int> v{0, 32, 0}; v.erase(v.begin() + 1); b = v[1];", SAME),
        ("std::deque<int> q; q.push_back(0); q.push_front(32); b = q.front();", (0, False)),
    ],
)  # fmt: skip
def test_queues(tmp_path: Path, body: str, found: tuple[int, bool]) -> None:
    assert _run(tmp_path, body) == found


LONG = "for (int i = 0; i < 1 << 19; i++) buffer->numbers[i] = VALUE;"


@pytest.mark.parametrize(
    ("loop", "found"),
    [
        (LONG.replace("VALUE", "i * 7 % 5"), APART),
        (LONG.replace("VALUE", "i").replace("numbers[i]", "at"), (0, False)),
    ],
)
def test_a_long_loop_changes_numbers_of_the_kind_that_it_stores(
    tmp_path: Path, loop: str, found: tuple[int, bool]
) -> None:
    assert _run(tmp_path, f"auto buffer = std::make_unique<Buffer>(32); {loop} b = buffer->at;") == found


def test_a_class_in_a_class_is_another_one(tmp_path: Path) -> None:
    """The queue holds no `Lane`, whose destructor waits."""
    body = "Lane lane; lane.items.push_back({32}); lane.items.push_back({0});"
    after = "lane.items.pop_front(); put<<<1, 32, 0, t>>>(p, lane.items.front().at, 3);"
    assert _run(tmp_path, f"{body} b = 32;", after) == SAME
    assert _run(tmp_path, f"{body} b = 32;", after.replace("front().at", "front().at + 64")) == APART
