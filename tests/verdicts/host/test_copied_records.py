"""Records of pointers that are copied as bytes, and numbers that are copied into them."""

from pathlib import Path

from hgrd.findings.model import Confidence, LaunchReport, Outcome
from tests.checking import check

ADD = """
#include <cstring>
struct Model { float *w; float *g; float loss; int n; };
__global__ void add(float *w, const float *g, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) w[i] += g[i];
}
"""


def _launches(folder: Path, body: str) -> tuple[LaunchReport, ...]:
    (kernel,) = check(folder, ADD + body).kernels
    return kernel.launches


def test_a_number_that_is_copied_into_a_record_leaves_its_pointers_alone(tmp_path: Path) -> None:
    (launch,) = _launches(
        tmp_path,
        """
        void step(Model *m, cudaStream_t s) {
          cudaMemcpyAsync(&m->loss, m->g, 4, cudaMemcpyDeviceToHost, s);
          add<<<(m->n + 255) / 256, 256, 0, s>>>(m->w, m->g, m->n);
          if (m->loss > 7) m->n = 1;
        }
        """,
    )
    assert (launch.outcome, launch.discharged, launch.pairs) == (Outcome.SAFE, 2, 2)


def test_pointers_that_are_copied_into_a_record_are_those_that_were_there(tmp_path: Path) -> None:
    (launch,) = _launches(
        tmp_path,
        """
        void step(Model *m, int k) {
          float *memory;
          cudaMalloc(&memory, 1024);
          float *all[2] = {memory + 1, memory};
          memcpy(&m->w, all, k);
          add<<<1, 255>>>(m->w, m->g, 255);
        }
        """,
    )
    assert launch.outcome is Outcome.UNKNOWN
    assert [pair.reason for pair in launch.open_pairs] == ["m.w and m.g: they may be the same memory"]


def test_a_record_copied_whole_has_the_same_pointers(tmp_path: Path) -> None:
    launches = _launches(
        tmp_path,
        """
        void both(Model *x, const float *u, const float *v, int n) {
          cudaStream_t s, t;
          cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
          cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
          Model y;
          memcpy(&y, x, sizeof y);
          add<<<(n + 255) / 256, 256, 0, s>>>(x->w, u, n);
          add<<<(n + 255) / 256, 256, 0, t>>>(y.w, v, n);
          cudaDeviceSynchronize();
        }
        """,
    )
    assert [[(f.rule, f.confidence) for f in launch.findings] for launch in launches] == [
        [("HGRD012", Confidence.DEFINITE)],
        [("HGRD012", Confidence.DEFINITE)],
    ]


def test_two_members_of_a_record_copied_whole_are_two(tmp_path: Path) -> None:
    launches = _launches(
        tmp_path,
        """
        void both(Model *x, const float *u, int n) {
          Model y;
          memcpy(&y, x, sizeof y);
          add<<<(n + 255) / 256, 256>>>(y.w, y.g, n);
        }
        """,
    )
    assert [(x.outcome, x.discharged, x.pairs) for x in launches] == [(Outcome.SAFE, 2, 2)]
