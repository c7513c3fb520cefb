"""Makes order among threads by locks, flags and counters, right and wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.fuzz.devices import Maker
from tests.fuzz.orders import Ordered
from tests.fuzz.tree import Tree, body, tree


@dataclass
class Talker(Maker):
    def communication(self, names: list[str]) -> tuple[Tree, ...]:
        """Locks, flags and counters, right and wrong."""
        fence = self.fence
        cell = self.random.choice(
            (tree("a[64]"), tree("a[64]"), tree("s[64]"), tree("a[64 + @]", self.index(names)), tree("a[65 + b]"))
        )
        work = self.random.choice(("@ += 1;", "@ = t;", "z = @; ", "x = @;"))
        inside = [tree(work, cell)]
        if self.random.random() < 0.4:
            inside.append(self.statement(names, 1, False, False))
        match self.random.randrange(11):
            case 9 | 10:
                return self.published(names, inside, cell)
            case 0 | 1 | 2:
                return self.locked(names, fence, inside, cell)
            case 3 | 4:
                return self.tried(names, fence, inside, cell)
            case 5 | 6:
                return self.flagged(names, fence, inside, cell)
            case 7:
                return self.counted(names, cell)
            case _:
                return self.last_one(names, fence, inside, cell)

    def fence(self) -> str:
        return self.random.choice(("__threadfence();",) * 6 + ("__threadfence_block();", "", "__syncthreads();"))

    def key(self) -> str:
        return self.random.choice(("&lock",) * 4 + ("&locks[t & 1]", "&locks[b & 7]", "&locks[g % 3]", "&locks[n & 1]"))

    def take(self, key: str, scope: str) -> str:
        return self.random.choice(
            (f"atomicCAS{scope}({key}, 0, 1) != 0",) * 3
            + (f"atomicExch{scope}({key}, 1) != 0", f"atomicCAS{scope}({key}, 0, 1)")
        )

    def give(self, key: str, scope: str) -> str:
        if self.random.random() < 0.15:
            key = self.random.choice(("&other_lock", "&locks[0]", "&lock"))
        return self.random.choice(
            (f"atomicExch{scope}({key}, 0);",) * 4
            + (f"atomicSub({key}, 1);", f"*(volatile int *)({key}) = 0;", f"atomicCAS({key}, 1, 0);")
        )

    def scope(self) -> str:
        return self.random.choice(("", "", "", "", "_block"))

    def extra(self, names: list[str], cell: Tree) -> tuple[Tree, ...]:
        if self.random.random() < 0.3:
            return (
                self.random.choice(
                    (
                        tree("z += @;", cell),
                        tree("@ = 1;", cell),
                        tree("if (t == 0) @ = 1;", cell),
                        tree("lock = 0;"),
                        tree("if (t == 0) atomicExch(&lock, 0);"),
                    )
                ),
            )
        return ()

    def locked(self, names: list[str], fence: Callable[[], str], inside: list[Tree], cell: Tree) -> tuple[Tree, ...]:
        key, scope = self.key(), self.scope()
        section = [
            tree(f"while ({self.take(key, scope)}) {{}} {fence()}"),
            *inside,
            tree(f"{fence()} {self.give(key, scope)}"),
        ]
        if self.random.random() < 0.15:
            section.insert(2, tree(f"{fence()} atomicExch({key}, 0);"))
        if self.random.random() < 0.15:
            section.insert(
                1, tree(f"{fence()} atomicExch({key}, 0); while (atomicCAS({key}, 0, 1) != 0) {{}} {fence()}")
            )
        if self.random.random() < 0.3:
            section = [tree("if (@) {@}", self.condition(names), body(*section))]
        elif self.random.random() < 0.2:
            section = [tree("for (int k = 0; k < @; k++) {@}", 2, body(*section))]
        if self.random.random() < 0.25:
            key = self.random.choice((key, "&other_lock"))
            again = [
                tree(f"while (atomicCAS({key}, 0, 1) != 0) {{}} {fence()}"),
                inside[0],
                tree(f"{fence()} atomicExch({key}, 0);"),
            ]
            section += again
        before, after = self.extra(names, cell), self.extra(names, cell)
        sync = (tree("__syncthreads();"),) if self.random.random() < 0.2 else ()
        return (*before, *sync, *section, *sync, *after)

    def tried(self, names: list[str], fence: Callable[[], str], inside: list[Tree], cell: Tree) -> tuple[Tree, ...]:
        key, scope = self.key(), self.scope()
        early = self.random.random() < 0.1
        give = tree(f"{fence()} {self.give(key, scope)} done = true;")
        test = self.random.choice((f"atomicCAS{scope}({key}, 0, 1) == 0", f"!atomicExch{scope}({key}, 1)"))
        section = [give, *inside] if early else [*inside, give]
        loop = tree(f"{{ bool done = false; while (!done) {{ if ({test}) {{ {fence()} @ }} }} }}", body(*section))
        if self.random.random() < 0.3:
            loop = tree(f"if ({test}) {{ {fence()} @ }}", body(*inside, tree(f"{fence()} {self.give(key, scope)}")))
        return (*self.extra(names, cell), loop, *self.extra(names, cell))

    def flagged(self, names: list[str], fence: Callable[[], str], inside: list[Tree], cell: Tree) -> tuple[Tree, ...]:
        who = self.random.choice(("g == 0", "g == 0", "t == 0", "t == 0 && b == 0", "g == 1", "t < 2"))
        waits = self.random.choice((f"!({who})", "g == 1", "t == 1", "g > 1"))
        which = self.random.choice(("&flag", "&flag", "&locks[b & 7]", "&locks[t & 1]"))
        set_ = self.random.choice(
            (
                f"atomicExch({which}, 1);",
                f"atomicAdd({which}, 1);",
                f"*(volatile int *)({which}) = 1;",
                f"atomicExch_block({which}, 1);",
                f"atomicExch({which}, n);",
            )
        )
        wait = self.random.choice(
            (
                f"atomicAdd({which}, 0) != 1",
                f"atomicCAS({which}, 1, 1) != 1",
                f"*(volatile int *)({which}) == 0",
                f"atomicAdd({which}, 0) == 0",
                f"atomicAdd({which}, 0) < 1",
            )
        )
        produce = [tree("@ = @;", cell, 7), tree(f"{fence()} {set_}")]
        consume = [tree(f"while ({wait}) {{}} {fence()}"), *inside]
        if self.random.random() < 0.1:
            produce.append(tree("@ = 9;", cell))
        if self.random.random() < 0.1:
            consume.insert(0, tree("z += @;", cell))
        both = tree(f"if ({who}) {{@}} else if ({waits}) {{@}}", body(*produce), body(*consume))
        if self.random.random() < 0.3:
            both = tree(f"if ({who}) {{@}} {fence()} if ({waits}) {{@}}", body(*produce), body(*consume))
        if self.random.random() < 0.15:
            both = tree("for (int k = 0; k < 2; k++) {@}", body(both))
        reset = (tree(f"if (t == 0) atomicExch({which}, 0);"),) if self.random.random() < 0.15 else ()
        return (*reset, both, *self.extra(names, cell))

    def published(self, names: list[str], inside: list[Tree], cell: Tree) -> tuple[Tree, ...]:
        """A flag with orders and a scope, and readers that wait for it, or look a few times."""
        who = self.random.choice(("g == 0", "g == 0", "t == 0"))
        which = self.random.choice(("flag", "flag", "locks[b & 7]"))
        writer, reader = Ordered(self.random), Ordered(self.random)
        set_ = writer.store(which, "1") if self.random.random() < 0.7 else f"{writer.add(which, '1')};"
        produce = body(tree("@ = @;", cell, 7), tree(set_))
        seen = f"{reader.load(which)} == 1"
        if self.random.random() < 0.5:
            wait = (tree(f"while (!({seen})) {{}}"), *inside)
        else:
            looks = f"for (int look = 0; look < 4; look++) {{ if ({seen}) {{@}} }}"
            wait = (tree(looks, body(*inside, tree("break;"))),)
        return (tree(f"if ({who}) {{@}} else {{@}}", produce, body(*wait)), *self.extra(names, cell))

    def counted(self, names: list[str], cell: Tree) -> tuple[Tree, ...]:
        which = self.random.choice(("&tickets", "&tickets", "&s[500]", "&locks[b & 1]"))
        start = (tree("if (t == 0) s[500] = 0; "), tree("__syncthreads();")) if "s[" in which else ()
        amount = self.random.choice(("1", "1", "2", "n", "t", "-1"))
        scope = self.random.choice(("", "", "", "_block"))
        take = tree(f"x = atomicAdd{scope}({which}, {amount});")
        if self.random.random() < 0.3:
            take = tree("if (@) {@}", self.condition(names), body(take))
        use = self.random.choice(
            (
                "a[64 + x] = t;",
                "a[64 + (x & 31)] = t;",
                "a[64 + x * 2] = t; z += a[64 + x * 2 + 1];",
                "a[63 + x] = 1;",
                "if (x == 0) a[64] = t;",
            )
        )
        return (*start, take, tree(use), *self.extra(names, cell))

    def last_one(self, names: list[str], fence: Callable[[], str], inside: list[Tree], cell: Tree) -> tuple[Tree, ...]:
        last = self.random.choice(("gridDim.x * blockDim.x - 1", "blockDim.x - 1", "n", "0"))
        return (
            tree("@ = t;", self.cell(names)),
            tree(f"{fence()} v = atomicAdd(&arrived, 1u);"),
            tree(f"if (v == {last}) {{ {fence()} @ }}", body(*inside, tree("z += @;", self.cell(names)))),
        )
