"""How host code names the arrays that it gives to a kernel: by getters, handles, tables, pools, other names.

What is the same memory is known here, and never told to hgrd but by the code.
"""

from __future__ import annotations

from dataclasses import dataclass

HELPERS = """struct Handle { int *held; int *get() const { return held; } };
struct Owner {
  explicit Owner(int *held) : held(held) {}
  Owner(Owner &&from) : held(from.held) { from.held = nullptr; }
  int *get() const { return held; }
  int *held;
};
struct Views { int *whole; const int *read; };
int *&choose(int *(&table)[2], int at) { return table[at]; }
"""


@dataclass(frozen=True, slots=True)
class Spelling:
    """Code behind the allocations, and the arguments for `a` and `in`; `same`: they are one array."""

    code: str = ""
    a: str = "a"
    read: str = "in"
    same: bool = False


PLAIN = Spelling()
_VIEWS = "Views *v[3]; for (int i = 0; i < 3; i++) v[i] = new Views{a, in};"
SPELLINGS = (
    Spelling("Handle ha{a}, hin{in};", "ha.get()", "hin.get()"),
    Spelling("Handle ha{a}, hin{a};", "ha.get()", "hin.get()", same=True),
    Spelling("Handle h{a};", "h.get()", "h.get()", same=True),
    Spelling("Handle h{a}; Handle i = h; h = Handle{in};", "i.get()", "h.get()"),
    Spelling("Handle h{a}; Handle i = h; h.held = in; h = i;", "i.get()", "h.get()", same=True),
    Spelling("Owner o(a); Owner m(static_cast<Owner &&>(o));", "m.get()", "in"),
    Spelling("Owner o(a); int *raw = o.get(); Owner m(static_cast<Owner &&>(o));", "m.get()", "raw", same=True),
    Spelling("int *buffers[2] = {a, in};", "buffers[0]", "buffers[1]"),
    Spelling("int *buffers[2] = {a, in}; int at = 0;", "buffers[0]", "buffers[at]", same=True),
    Spelling("int *buffers[2] = {a, in}; int *kept = buffers[0]; buffers[0] = in;", "kept", "buffers[0]"),
    Spelling("int *buffers[2] = {a, in}; buffers[1] = buffers[0];", "a", "buffers[1]", same=True),
    Spelling("int *table[2] = {a, in};", "choose(table, 0)", "choose(table, 1)"),
    Spelling("int *table[2] = {a, in}; choose(table, 1) = a;", "choose(table, 0)", "choose(table, 1)", same=True),
    Spelling("int *pool; cudaMalloc(&pool, 1024 * 4); a = pool; in = pool + 512;"),
    Spelling("int *pool; cudaMalloc(&pool, 512 * 4); a = pool; in = &pool[0];", same=True),
    Spelling("int *other = a; a = in; in = other;"),
    Spelling("int *other = a; a = in; in = other; other = in; in = a;", "a", "in", same=True),
    Spelling("Views views = {a, in};", "views.whole", "views.read"),
    Spelling("Views views = {a, in}; views.read = views.whole;", "views.whole", "views.read", same=True),
    Spelling("int *&other = in; other = a;", same=True),
    Spelling(f"{_VIEWS}", "v[1]->whole", "v[2]->read"),
    Spelling(f"{_VIEWS} for (int i = 0; i < 3; i++) v[i]->read = v[0]->whole;", "v[1]->whole", "v[2]->read", same=True),
    Spelling(f"{_VIEWS} Views *x = v[2]; v[2] = v[0]; v[2]->read = a;", "x->whole", "x->read"),
    Spelling(f"{_VIEWS} Views *x = v[2]; v[2] = v[0]; v[2]->read = a;", "x->whole", "v[0]->read", same=True),
)
