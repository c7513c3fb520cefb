"""Makes random bodies of kernels: arithmetic, guards, loops, jumps, barriers, memory of all kinds, calls.

Indexes come mostly from a small pool, so that many kernels have no race and those that have one, few.  What is
out of bounds or without end is found by running it, and left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from tests.fuzz.orders import Ordered
from tests.fuzz.tree import Tree, body, name, tree

HELPERS = """#include <cooperative_groups.h>
#include <cuda/atomic>
namespace cg = cooperative_groups;
struct Two { int first; short second; };
__device__ int low(int value, int limit) {
  if (value < limit) return value;
  return limit;
}
__device__ void put(int *cells, int at, int what) { cells[at] = what; }
__device__ int get(const int *cells, int at) {
  if (at < 0) return 0;
  return cells[at];
}
__device__ void add_to(int &cell, int what) { cell += what; }
__device__ int rounds(int value) {
  int count = 0;
  while (value > 1) { value /= 2; count++; }
  return count;
}
__device__ int atomicMin(int *cell, short what) {
  int old = *cell;
  if (what < old) *cell = what;
  return old;
}
__device__ int &at(int *cells, int i) {
  cells[i] += 1;
  return cells[i];
}
__device__ void fatomicAdd(int *cell, int what) { *cell += what; }
__device__ bool split(int value, int by, int *whole) {
  *whole = value / by;
  return value % by == 0;
}
struct Pool {
  int *cells;
  __device__ void free(int at) { cells[at] = -1; }
  __device__ int sync(int at) { return cells[at]; }
  __device__ int *get() const { return cells; }
};
__device__ int meet(cg::thread_block block, const int *cells, int at) {
  block.sync();
  return cells[at];
}
template <class Group>
__device__ void leave(Group group, int *cells, int at, int what) {
  if (group.thread_rank() == 0) cells[at] = what;
  group.sync();
}
__device__ int lock = 0;
__device__ int other_lock = 0;
__device__ int locks[8];
__device__ int flag = 0;
__device__ volatile int turn = 0;
__device__ int tickets = 0;
__device__ unsigned arrived = 0;
"""
WIDE = ("unsigned char", "short", "unsigned", "long long")
_SMALL = (1, 1, 1, 2, 3, 4)


@dataclass
class Maker:
    """`wide` is the element type of the array `w`; `together`: names with one value for all threads of a block."""

    random: Random
    wide: str
    flat: bool
    counters: int = 0
    labels: int = 0
    pool: list[Tree] = field(default_factory=list[Tree])
    together: list[str] = field(default_factory=lambda: ["n", "u", "c", "b", "k", "blockDim.x"])

    def make(self) -> tuple[Tree, ...]:
        names = ["t", "g", "n", "c", *(() if self.flat else ("y",))]
        self.pool = [self.place(names) for _ in range(self.random.choice((1, 2, 3)))]
        declared = [
            tree("int t = threadIdx.x, y = threadIdx.y, b = blockIdx.x;", kept=True)
            if not self.flat
            else tree("int t = threadIdx.x, b = blockIdx.x;", kept=True),
            tree("int g = @;", self.global_index(), kept=True),
            tree("int x = @, z = @;", self.expression(names, 1), 1, kept=True),
            tree("unsigned v = @;", self.expression(names, 1), kept=True),
            tree("int l[4] = {0, 1, @, t};", self.expression(names, 1), kept=True),
            tree("Two two = {t, 3};", kept=True),
            tree("int k = in[@ & 31];", self.random.choice((tree("n"), tree("b"), tree("7"))), kept=True),
            tree("__shared__ int s[512];", kept=True),
            tree(f"__shared__ {self.wide} q[256];", kept=True),
            tree("__shared__ int m[17][17];", kept=True),
            tree("__shared__ Two r[128];", kept=True),
        ]
        names += ["x", "z", "v", "l[1]", "l[2]", "two.first", "k"]
        made = self.communication(names)
        count = self.random.randint(1, 3 if made else 6)
        at = self.random.randint(0, count)
        statements = [self.statement(names, 0, True, False) for _ in range(count)]
        return (*declared, *statements[:at], *made, *statements[at:])

    def communication(self, names: list[str]) -> tuple[Tree, ...]:
        """Statements in which threads make order by other means than barriers: none."""
        return ()

    def global_index(self) -> Tree:
        if self.flat:
            return tree("(@ + @)", tree("(@ * @)", name("b"), name("(int)blockDim.x")), name("t"))
        return tree("(int)((blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x)")

    def pick(self, *choices: Callable[[], Tree]) -> Tree:
        return self.random.choice(choices)()

    # ------------------------------------------------------------ expressions

    def leaf(self, names: list[str]) -> Tree:
        if self.random.random() < 0.3:
            return tree("@", self.random.choice((0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 32, 33, -1)))
        return name(self.random.choice(names))

    def expression(self, names: list[str], depth: int) -> Tree:
        if depth == 0 or self.random.random() < 0.15:
            return self.leaf(names)
        left = self.expression(names, depth - 1)
        right = self.leaf(names)
        k = self.random.choice((1, 2, 3, 4, 5, 8, 16, 32))
        match self.random.randrange(20):
            case 0 | 1 | 2:
                return tree("(@ + @)", left, right)
            case 3 | 4:
                return tree("(@ - @)", left, right)
            case 5 | 6:
                return tree("(@ * @)", left, self.random.choice((2, 3, 4, -1)))
            case 7:
                return tree("((@ & 31) * (@ & 31))", left, right)
            case 8 | 9:
                return tree("(@ / @)", left, k)
            case 10 | 11:
                return tree("(@ % @)", left, k)
            case 12:
                return tree("(@ & @)", left, self.random.choice((1, 3, 6, 7, 15, 31, -2, 28)))
            case 13:
                return tree("((@ & 63) ^ @)", left, self.random.choice((1, 2, 3, 16)))
            case 14:
                return tree("(@ >> @)", left, self.random.choice((1, 2, 5)))
            case 15:
                return tree("((@ & 255) << @)", left, self.random.choice((1, 2)))
            case 16:
                return tree("(@ ? @ : @)", self.condition(names), left, right)
            case 17:
                type_ = self.random.choice(("unsigned char", "signed char", "short", "unsigned", "long long"))
                return tree(f"({type_})@", tree("(@)", left))
            case 18:
                return self.pick(
                    lambda: tree("low(@, @)", left, right),
                    lambda: tree("rounds(@)", left),
                    lambda: tree("min(@, @)", tree("(int)(@)", left), tree("(int)(@)", right)),
                    lambda: tree("__popc(@)", left),
                )
            case _:
                return tree("(@ | @)", left, self.random.choice((1, 2, 4)))

    def condition(self, names: list[str]) -> Tree:
        left, right = self.expression(names, 1), self.leaf(names)
        form = self.random.choice(("@ < @", "@ <= @", "@ == @", "@ != @", "@ > @", "(@ & 1) == (@ & 1)"))
        simple = tree(form, left, right)
        if self.random.random() < 0.15:
            return tree(
                self.random.choice(("(@ && @)", "(@ || @)")), simple, tree("@ < @", name("t"), self.leaf(names))
            )
        return simple

    def shared_by_all(self, names: list[str]) -> list[str]:
        return [n for n in names if n in self.together]

    def place(self, names: list[str]) -> Tree:
        """An index that is often another one for every thread."""
        own = name(self.random.choice(("t", "g", "g")) if self.flat else self.random.choice(("g", "g", "t", "y")))
        k = self.random.choice((2, 3, 4))
        match self.random.randrange(12):
            case 0 | 1 | 2 | 3:
                return own
            case 4:
                return tree("(@ * @)", own, k)
            case 5:
                return tree("(@ * @ + @)", own, k, self.random.randrange(k))
            case 6:
                return tree("(@ + @)", own, self.expression(self.shared_by_all(names) or ["1"], 1))
            case 7:
                return tree("(@ ^ @)", own, self.random.choice((1, 2, 4, 32)))
            case 8:
                return tree("(@ * @ + @)", own, name("n"), self.leaf(names))
            case 9:
                return tree("(@ / @ * @ + @ % @)", own, k, 2 * k, own, k)
            case 10:
                return tree("(@ - @)", self.random.choice((63, 100, 127)), own)
            case _:
                return self.expression(names, 2)

    def index(self, names: list[str]) -> Tree:
        chance = self.random.random()
        if chance < 0.6:
            base = self.random.choice(self.pool)
        elif chance < 0.8:
            base = self.place(names)
        elif chance < 0.9:
            base = tree("(@ + @)", self.random.choice(self.pool), self.random.choice((1, -1, 2, 32, 64)))
        else:
            base = self.expression(names, 2)
        if self.random.random() < 0.12 and (counters := [n for n in names if n.startswith("i")]):
            base = tree("(@ + @ * @)", base, name(counters[-1]), self.random.choice((1, 2, 40, 64)))
        return base

    # ------------------------------------------------------------ accesses

    def cell(self, names: list[str]) -> Tree:
        """A place in memory that threads share."""
        at = self.index(names)
        match self.random.randrange(14):
            case 0 | 1 | 2 | 3:
                return tree("a[64 + @]", at)
            case 4 | 5 | 6:
                return tree("s[64 + @]", at)
            case 7:
                return tree("w[32 + @]", at)
            case 8:
                return tree("q[32 + @]", at)
            case 9:
                return tree("((short *)a)[128 + @]", at)
            case 10:
                return tree("m[(@) & 15][(unsigned)(@) % 17]", at, self.index(names))
            case 11:
                return tree(self.random.choice(("r[@].first", "r[@].second")), at)
            case 12:
                return tree("*(a + 64 + @)", at)
            case _:
                return tree("((unsigned char *)s)[256 + @]", at)

    def access(self, names: list[str]) -> Tree:
        what = self.leaf(names)
        match self.random.randrange(21):
            case 20:
                return self.sequenced(names)
            case 19:
                return self.ordered(names)
            case 18:
                return self.assembly(names)
            case 16:
                return self.named(names)
            case 17:
                return self.out(names)
            case 0 | 1 | 2 | 3 | 4:
                return tree("@ = @;", self.cell(names), what)
            case 5 | 6 | 7:
                return tree("z += @;", self.cell(names))
            case 8:
                return tree("x = @;", self.cell(names))
            case 9:
                return tree("@ += @;", self.cell(names), what)
            case 10:
                return tree("x = in[64 + @];", self.index(names))
            case 11:
                call = self.random.choice(("put(a + 64, @, @);", "put(s + 64, @, @);", "add_to(a[64 + @], @);"))
                return tree(call, self.index(names), what)
            case 12:
                return tree(self.random.choice(("z = get(a + 64, @);", "z = get(s, @);")), self.index(names))
            case 13:
                call = self.random.choice(("atomicAdd(&@, @);", "atomicMax(&@, @);", "atomicExch(&@, @);"))
                array = self.random.choice(("a[64 + @]", "s[64 + @]"))
                return tree(call, tree(array, self.index(names)), what)
            case 14:
                call = self.random.choice(
                    ("x = atomicAdd(&@, 1);", "x = atomicCAS(&@, 0, 1);", "atomicAdd_block(&@, 1);")
                )
                return tree(call, tree(self.random.choice(("a[64 + @]", "s[64 + @]")), self.index(names)))
            case _:
                return tree(
                    "{ int *p = @ ? a + 64 : s + 64; p[@] = @; }", self.condition(names), self.index(names), what
                )

    def sequenced(self, names: list[str]) -> Tree:
        """A place behind a comma: what stands before it counts, and what its own subscript reads."""
        cell, far, what = self.cell(names), tree("a[64 + (s[64 + @] & 7)]", self.index(names)), self.leaf(names)
        match self.random.randrange(7):
            case 0:
                return tree("(x = @, @) = 1;", what, cell)
            case 1:
                return tree("x = (z++, @);", far)
            case 2:
                return tree("(@ = 2, @) += 1;", cell, far)
            case 3:
                return tree("x = 0, @ = @;", cell, what)
            case 4:
                return tree("{ int &r = (x = 1, @); r = @; }", far, what)
            case 5:
                return tree("x = 0, at(a + 64, @);", self.index(names))
            case _:
                return tree("(z = 1, at(s + 64, @)) = @;", self.index(names), what)

    def named(self, names: list[str]) -> Tree:
        """A function of the program that has the name of a builtin, or nearly so: its body counts."""
        at, what = self.index(names), self.leaf(names)
        array = self.random.choice(("a + 64", "s + 64"))
        match self.random.randrange(6):
            case 0:
                return tree(f"x = atomicMin(&({array})[@], (short)@);", at, what)
            case 1:
                return tree(f"fatomicAdd({array} + @, @);", at, what)
            case 2:
                return tree(f"{{ Pool pool{{{array}}}; pool.free(@); }}", at)
            case 3:
                return tree(f"{{ Pool pool{{{array}}}; z += pool.sync(@); }}", at)
            case 4:
                return tree(f"{{ Pool pool{{{array}}}; pool.get()[@] = @; }}", at, what)
            case _:
                return tree(f"x = atomicMin(&({array})[@], @);", at, tree("(int)(@)", what))

    def assembly(self, names: list[str]) -> Tree:
        """Instructions that access memory, and registers that are each thread's own."""
        at, what = self.index(names), tree("(int)(@)", self.leaf(names))
        match self.random.randrange(4):
            case 0:
                form = 'asm volatile("st.global.u32 [%0], %1;" :: "l"(a + 64 + @), "r"(@) : "memory");'
                return tree(form, at, what)
            case 1:
                return tree('asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(a + 64 + @) : "memory");', at)
            case 2:
                form = (
                    'asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(v) : "l"(a + 64 + @), "r"(@) : "memory");'
                )
                return tree(form, at, what)
            case _:
                return tree('asm("mov.u32 %0, %%laneid;" : "=r"(v));')

    def ordered(self, names: list[str]) -> Tree:
        """Atomic accesses with an order and a scope."""
        atomic, cell = Ordered(self.random), self.random.choice(("a[64 + @]", "s[64 + @]"))
        at, what = self.index(names), tree("(int)(@)", self.leaf(names))
        match self.random.randrange(3):
            case 0:
                return tree(f"x = {atomic.load(cell)};", at)
            case 1:
                return tree(atomic.store(cell, "@"), at, what)
            case _:
                return tree(f"z += {atomic.add(cell, '@')};", at, what)

    def out(self, names: list[str]) -> Tree:
        """What a function gives through a pointer: each thread's own."""
        at, what = self.index(names), self.expression(names, 1)
        match self.random.randrange(4):
            case 0:
                return tree("if (split(@, @, &z)) @ = z;", what, self.random.choice((2, 3, 4)), self.cell(names))
            case 1:
                return tree("{ int part; if (split(@, 2, &part)) part = 1; a[64 + @] = part; }", what, at)
            case 2:
                return tree("{ float s0, c0; sincosf((float)(@), &s0, &c0); a[64 + @] = (int)(c0 * 4); }", what, at)
            case _:
                return tree(
                    "{ float whole; float rest = modff((@) * 0.5f, &whole); if (rest != 0) @ = 1; }",
                    what,
                    self.cell(names),
                )

    def compute(self, names: list[str]) -> Tree:
        e = self.expression(names, 2)
        match self.random.randrange(9):
            case 0:
                return tree("x = @;", e)
            case 1:
                return tree("z += @;", self.expression(names, 1))
            case 2:
                return tree("v = @;", e)
            case 3:
                return tree("l[(@) & 3] = @;", self.expression(names, 1), e)
            case 4:
                return tree("two.first = @;", e)
            case 5:
                return tree("{ int *p = @ ? &x : &z; *p = @; }", self.condition(names), e)
            case 6:
                return self.chosen(names, e)
            case 7:
                at = self.expression(names, 1)
                return tree("{ int *ps[3] = {&x, &z, &two.first}; *ps[(unsigned)(@) % 3] = @; }", at, e)
            case _:
                return tree("x = l[(@) & 3];", self.expression(names, 1))

    def chosen(self, names: list[str], value: Tree) -> Tree:
        """A store through one of three pointers, to variables or arrays."""
        at = self.index(names)
        arrays = tree("&l[(@) & 3]", at), tree("&a[64 + @]", at), tree("&s[64 + @]", at)
        one, two, three = self.random.sample((tree("&x"), tree("&z"), tree("&k"), *arrays), 3)
        use = self.random.choice(("*p = @;", "*p += @;", "x = *p; *p = @;", "*p = @; a[64 + t + (z & 1)] = 1;"))
        here, there = self.condition(names), self.condition(names)
        return tree(f"{{ int *p = @ ? @ : @ ? @ : @; {use} }}", here, one, there, two, three, value)

    # ------------------------------------------------------------ statements

    def block(self, names: list[str], depth: int, barriers: bool, loop: bool) -> tuple[Tree, ...]:
        count = self.random.choice((1, 1, 2, 3))
        return tuple(self.statement(names, depth, barriers, loop) for _ in range(count))

    def statement(self, names: list[str], depth: int, barriers: bool, loop: bool) -> Tree:
        chance = self.random.random()
        if chance < 0.42 or (depth >= 2 and chance < 0.7):
            return self.access(names)
        if chance < 0.56:
            if barriers and self.random.random() < 0.15:
                return self.agreed(names)
            if barriers and self.flat and depth == 0 and self.random.random() < 0.4:
                return self.warp_wide(names)
            if barriers or self.random.random() < 0.04:
                return self.barrier()
            return self.access(names)
        if chance < 0.58:
            return self.walk(names)
        if chance < 0.64:
            return self.compute(names)
        if chance < 0.68:
            return self.leave(names, loop)
        if depth >= 3:
            return self.compute(names)
        if chance < 0.83:
            return self.branch(names, depth, barriers, loop)
        if chance < 0.96:
            return self.loop(names, depth, barriers)
        return self.jump(names, depth, barriers)

    def barrier(self) -> Tree:
        return self.random.choice(
            (*(tree("__syncthreads();"),) * 6, tree("__syncwarp();"), tree("__syncthreads(); __threadfence();"))
        )

    def warp_wide(self, names: list[str]) -> Tree:
        """Votes, matches and shuffles of whole warps, also of parts of them."""
        value, width = self.leaf(names), self.random.choice((2, 4, 8, 16, 32))
        full = "0xffffffffu"
        match self.random.randrange(13):
            case 9 | 10:
                return self.tiles(names)
            case 11 | 12:
                return self.named_barrier(names)
            case 6:
                return tree("z += meet(cg::this_thread_block(), s + 64, @);", self.index(names))
            case 7:
                group = f"cg::tiled_partition<{width}>(cg::this_thread_block())"
                return tree(f"leave({group}, s + 64, @, @);", self.index(names), value)
            case 8:
                return tree("leave(cg::this_thread_block(), a + 64, @, @);", self.index(names), value)
            case 0:
                return tree(f"v = __ballot_sync({full}, @);", self.condition(names))
            case 1:
                return tree(
                    f"{{ int same; v = __match_all_sync({full}, @, &same); if (same) @ = 1; }}", value, self.cell(names)
                )
            case 2:
                return tree(f"x = __shfl_xor_sync({full}, @, {self.random.choice((1, 2, 4))}, {width});", value)
            case 3:
                return tree(f"x = __shfl_sync({full}, @, 0, {width});", value)
            case 4:
                return tree(f"if (__any_sync({full}, @)) @ = 2;", self.condition(names), self.cell(names))
            case _:
                return tree(
                    f"v = __popc(__ballot_sync({full}, @) & ((1u << (t & 31)) - 1)); a[64 + v] = t;",
                    self.condition(names),
                )

    def tiles(self, names: list[str]) -> Tree:
        """A tile of a tile, of which the one or the other meets."""
        wide, narrow = self.random.choice(((32, 4), (16, 4), (8, 2), (32, 16)))
        which = self.random.choice(("inner", "inner", "outer"))
        mine = self.random.choice(("g", "t", "outer.thread_rank()", "t / 4 * 4 + inner.thread_rank()"))
        theirs = self.random.choice((f"(t ^ {narrow - 1})", "(t ^ 1)", f"(t ^ {narrow})", "t / 8 * 8"))
        middle = self.random.choice((f"{which}.sync();", f"{which}.sync();", f"x = {which}.shfl(x, 0);", ""))
        use = self.random.choice(
            (
                f"s[64 + {mine}] = @; {middle} z += s[64 + {theirs}];",
                f"if ({which}.thread_rank() == 0) @ = inner.meta_group_rank();",
                f"{middle} leave({which}, s + 64 + t / {narrow} * {narrow}, 0, @);",
                f"{middle} leave(inner, s + 64 + inner.meta_group_rank(), 0, @);",
            )
        )
        what = self.cell(names) if "= inner" in use else self.leaf(names)
        return tree(
            f"{{ auto outer = cg::tiled_partition<{wide}>(cg::this_thread_block()); "
            f"auto inner = cg::tiled_partition<{narrow}>(outer); {use} }}",
            what,
        )

    def named_barrier(self, names: list[str]) -> Tree:
        """Barriers of PTX: that of number 0 is the block's; others count threads, and end few runs of small blocks."""
        if self.random.random() < 0.5:
            return self.numbered_barrier(names)
        named = ("barrier.sync 1;", "bar.sync 2, 32;", "bar.sync 2, 64;", "barrier.sync 3, 64;")
        barrier = self.random.choice(named if self.random.random() < 0.1 else ("bar.sync 0;", "barrier.sync 0;"))
        meet = f'asm volatile("{barrier}" ::: "memory");'
        if self.random.random() < 0.5:
            meet = self.random.choice((f"if (t < 32) {{ {meet} }}", f"if (t / 32 == 1) {{ {meet} }}"))
        return tree(f"{meet} @ = @;", self.cell(names), self.leaf(names))

    def numbered_barrier(self, names: list[str]) -> Tree:
        """A barrier whose number is each warp's own, or at which the first warp arrives and does not wait."""
        what, theirs = self.leaf(names), self.random.choice(("(t ^ 1)", "(t ^ 31)", "t / 32 * 32", "(t ^ 32)"))
        number, count = self.random.choice(
            (("1 + t / 32", 32), ("1 + t / 64", 64), ("1 + (t / 32 & 1)", 32), ("2 - t / 32", 32), ("1 + b", 64))
        )
        meet = f'asm volatile("bar.sync %0, {count};" :: "r"({number}) : "memory");'
        if self.random.random() < 0.6:
            return tree(f"if (blockDim.x == 64) {{ s[64 + t] = @; {meet} z += s[64 + {theirs}]; }}", what)
        arrive, wait = (
            f'asm volatile("bar.{word} {self.random.choice((1, 1, 1, 2))}, 64;" ::: "memory");'
            for word in ("arrive", "sync")
        )
        arrives, waits = f"s[64 + t] = @; {arrive}", f"{wait} z += s[64 + (t & 31)];"
        return tree(f"if (blockDim.x == 64) {{ if (t < 32) {{ {arrives} }} else {{ {waits} }} }}", what)

    def agreed(self, names: list[str]) -> Tree:
        """All threads of a block get one value, unless it is written meanwhile."""
        at = self.expression(self.shared_by_all(names), 1)
        match self.random.randrange(4):
            case 0:
                return tree("k = s[64 + (@ & 31)];", at)
            case 1:
                return tree("k = a[64 + (@ & 31)];", at)
            case 2:
                return tree("__syncthreads(); k = s[64 + (@ & 31)]; __syncthreads();", at)
            case _:
                return tree("k = __syncthreads_or(@);", self.condition(names))

    def walk(self, names: list[str]) -> Tree:
        """A pointer that a loop moves on."""
        array = self.random.choice(("a", "s"))
        rounds = self.random.choice((tree("3"), tree("2"), name("n"), name("t")))
        step = self.random.choice(("p++;", "p += blockDim.x;", "p += 2;", "p -= 1;", "p += n;", "p += t;"))
        count = f"i{self.counters}"
        self.counters += 1
        use = self.random.choice((tree("*p = @;", self.leaf(names)), tree("z += *p;"), tree("*p += 1;")))
        return tree(
            f"{{ int *p = {array} + 64 + @; for (int {count} = 0; {count} < @; {count}++) {{ @ {step} }} }}",
            self.index(names), rounds, use,
        )  # fmt: skip

    def leave(self, names: list[str], loop: bool) -> Tree:
        word = self.random.choice(("break;", "continue;", "break;", "return;") if loop else ("return;",))
        if word == "return;" and self.random.random() < 0.5:
            return self.compute(names)
        return tree(f"if (@) {word}", self.condition(names))

    def branch(self, names: list[str], depth: int, barriers: bool, loop: bool) -> Tree:
        same = self.shared_by_all(names)
        together = bool(same) and self.random.random() < 0.3
        condition = self.condition(same if together else names)
        inside = barriers and together
        then = body(*self.block(names, depth + 1, inside, loop))
        match self.random.randrange(5):
            case 0 | 1 | 2:
                return tree("if (@) {@}", condition, then)
            case 3:
                return tree("if (@) {@} else {@}", condition, then, body(*self.block(names, depth + 1, inside, loop)))
            case _:
                on = self.expression(same if together else names, 1)
                other, last = (body(*self.block(names, depth + 1, inside, False)) for _ in range(2))
                end = self.random.choice(("", " break;"))
                return tree(
                    f"switch ((@) & 3) {{ case 0: {{@}}{end} case 1: {{@}} break; default: {{@}} }}",
                    on, body(*self.block(names, depth + 1, inside, False)), other, last,
                )  # fmt: skip

    def loop(self, names: list[str], depth: int, barriers: bool) -> Tree:
        i = f"i{self.counters}"
        self.counters += 1
        same = self.shared_by_all(names)
        together = self.random.random() < 0.7
        if together:
            self.together.append(i)
        scope = [*names, i]
        first = self.random.choice((tree("0"), tree("0"), tree("1"), self.leaf(same if together else names)))
        bound = (
            tree("@", self.random.choice((2, 3, 4)))
            if self.random.random() < 0.4
            else self.leaf(same if together else names)
        )
        inner = body(*self.block(scope, depth + 1, barriers and together, True))
        match self.random.randrange(12):
            case 0 | 1 | 2:
                return tree(f"for (int {i} = @; {i} < @; {i}++) {{@}}", first, bound, inner)
            case 3:
                return tree(f"for (int {i} = @; {i} < @ * 3; {i} += 2) {{@}}", first, bound, inner)
            case 4:
                return tree(
                    f"for (unsigned {i} = @; {i} > 0; {i} >>= 1) {{@}}", self.random.choice((4, 8, 16, 32)), inner
                )
            case 5:
                return tree(f"for (int {i} = 1; {i} <= @; {i} *= 2) {{@}}", bound, inner)
            case 6:
                return tree(f"for (int {i} = t; {i} < @; {i} += blockDim.x) {{@}}", self.random.choice((40, 70)), inner)
            case 7:
                return tree(f"int {i} = @; do {{@}} while (++{i} < @);", first, inner, bound)
            case 8:
                return tree(f"for (int {i} = @; {i} != @ + (@ & 7); {i}++) {{@}}", first, first, bound, inner)
            case 9:
                return tree(f"for (unsigned {i} = (@ & 15); {i}; {i}--) {{@}}", bound, inner)
            case 10:
                return tree(f"int {i} = @; do {{@}} while (({i} += 2) != @ + 4);", first, inner, first)
            case _:
                return tree(f"int {i} = @; while ({i}-- > 0) {{@}}", bound, inner)

    def jump(self, names: list[str], depth: int, barriers: bool) -> Tree:
        self.labels += 1
        out = f"out{self.labels}"
        skipped = body(*self.block(names, depth + 1, False, False))
        return tree(f"{{ if (@) goto {out}; {{@}} {out}: ; }}", self.condition(names), skipped)
