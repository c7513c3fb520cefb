"""Methods of another file that get objects by reference to const: they are taken to copy, and to keep no pointer."""

from pathlib import Path

from tests.checking import check, verdicts

PROGRAM = """
struct Buffer {
  float *data;
  int n;
  void copy_from(const Buffer &other, int first, float scale);
  void set(const float *pointer);
  void attach(Buffer &other);
  void copy_row(Buffer other);
  Buffer &operator+=(const Buffer &other);
};
struct View {
  float *data;
  explicit View(const Buffer &of);
};
void host_copy(Buffer &to, const Buffer &from);

// safe: 1 of 1 pairs
__global__ void copied(const float *x, float *y) { SHIFT }

// safe: 1 of 1 pairs
__global__ void copied_in_a_loop(const float *x, float *y) { SHIFT }

// safe: 1 of 1 pairs
__global__ void copied_on(const float *x, float *y) { SHIFT }

// open: from.data and to.data: they may be the same memory
__global__ void got_a_pointer(const float *x, float *y) { SHIFT }

// open: from.data and to.data: they may be the same memory
__global__ void attached(const float *x, float *y) { SHIFT }

// open: from.data and to.data: they may be the same memory
__global__ void got_a_value(const float *x, float *y) { SHIFT }

// open: from.data and to.data: they may be the same memory
__global__ void by_an_operator(const float *x, float *y) { SHIFT }

// open: from.data and View.data: they may be the same memory
__global__ void viewed(const float *x, float *y) { SHIFT }

// open: from.data and to.data: they may be the same memory
__global__ void by_a_function(const float *x, float *y) { SHIFT }

// open: from.data and to.data: they may be the same memory
__global__ void copied_then_attached(const float *x, float *y) { SHIFT }

// open: from.data and to.data: they may be the same memory
__global__ void attached_then_copied(const float *x, float *y) { SHIFT }

// open: from.data and to.data: they may be the same memory
__global__ void stored(const float *x, float *y) { SHIFT }

// open: from.data and to.data: they may be the same memory
__global__ void overridden(const float *x, float *y) { SHIFT }

void f1(Buffer *to, Buffer *from) {
  to->copy_from(*from, 0, 1.0f);
  copied<<<16, 64>>>(from->data, to->data);
}
void f2(Buffer *to, Buffer *from, int n) {
  for (int i = 0; i < n; i++) {
    copied_in_a_loop<<<16, 64>>>(from->data, to->data);
    to->copy_from(*from, i, 1.0f);
  }
}
void f3(Buffer *to, Buffer *between, Buffer *from) {
  between->copy_from(*from, 0, 1.0f);
  to->copy_from(*between, 0, 1.0f);
  copied_on<<<16, 64>>>(from->data, to->data);
}
void f4(Buffer *to, Buffer *from) {
  to->set(from->data);
  got_a_pointer<<<16, 64>>>(from->data, to->data);
}
void f5(Buffer *to, Buffer *from) {
  to->attach(*from);
  attached<<<16, 64>>>(from->data, to->data);
}
void f6(Buffer *to, Buffer *from) {
  to->copy_row(*from);
  got_a_value<<<16, 64>>>(from->data, to->data);
}
void f7(Buffer *to, Buffer *from) {
  *to += *from;
  by_an_operator<<<16, 64>>>(from->data, to->data);
}
void f8(Buffer *from) {
  View view(*from);
  viewed<<<16, 64>>>(from->data, view.data);
}
void f9(Buffer *to, Buffer *from) {
  host_copy(*to, *from);
  by_a_function<<<16, 64>>>(from->data, to->data);
}
void f10(Buffer *to, Buffer *from) {
  to->copy_from(*from, 0, 1.0f);
  to->attach(*from);
  copied_then_attached<<<16, 64>>>(from->data, to->data);
}
void f11(Buffer *to, Buffer *from) {
  to->attach(*from);
  to->copy_from(*from, 0, 1.0f);
  attached_then_copied<<<16, 64>>>(from->data, to->data);
}
void f12(Buffer *to, Buffer *from, bool copy) {
  to->copy_from(*from, 0, 1.0f);
  if (copy) to->data = from->data;
  stored<<<16, 64>>>(from->data, to->data);
}
struct Source {
  float *data;
  virtual void copy_from(const Source &other);
};
struct Sharing : Source {
  void copy_from(const Source &other) override { data = other.data; }
};
void f13(Source *to, Source *from) {
  to->copy_from(*from);
  overridden<<<16, 64>>>(from->data, to->data);
}
""".replace("SHIFT", "y[blockIdx.x * 64 + threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x + 1];")

test_verdict = verdicts(PROGRAM)


def test_that_they_copy_is_listed(tmp_path: Path) -> None:
    reports = {r.kernel: r.launches[0] for r in check(tmp_path, PROGRAM).kernels}
    listed = {kernel: [u.text for u in r.assumptions if "copied" in u.text] for kernel, r in reports.items()}
    text = "from.data and to.data do not overlap: objects given by reference to const are copied, "
    text += "and no pointer is kept, by Buffer::copy_from"
    assert {kernel for kernel, found in listed.items() if found == [text]} == {
        "copied",
        "copied_in_a_loop",
        "copied_on",
    }
    assert sum(map(bool, listed.values())) == 3
