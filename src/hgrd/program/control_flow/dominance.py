"""Orders, dominators and natural loops of directed graphs, given by the successors of each node."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from heapq import heapify, heappop, heappush
from typing import TypeAlias

from msgspec import Struct

Successors: TypeAlias = Mapping[int, tuple[int, ...]]


class NaturalLoop(Struct, frozen=True):
    """The nodes from which the head is reached without leaving through it; the head is the only way in."""

    head: int
    nodes: frozenset[int]


def predecessors(successors: Successors) -> Successors:
    found: dict[int, list[int]] = {node: [] for node in successors}
    for node, following in successors.items():
        for next_ in following:
            if node not in found[next_]:
                found[next_].append(node)
    return {node: tuple(before) for node, before in found.items()}


def postorder(successors: Successors, root: int) -> list[int]:
    """Postorder of the nodes that `root` reaches: each after those that it is the first to reach."""
    found: list[int] = []
    seen = {root}
    stack = [(root, iter(successors[root]))]
    while stack:
        node, following = stack[-1]
        for next_ in following:
            if next_ not in seen:
                seen.add(next_)
                stack.append((next_, iter(successors[next_])))
                break
        else:
            found.append(node)
            stack.pop()
    return found


def immediate_dominators(successors: Successors, root: int) -> dict[int, int]:
    """The closest node on all ways from `root` to each node (`root` to itself); what it does not reach is missing.

    Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
    """
    order = postorder(successors, root)
    rank = {node: i for i, node in enumerate(order)}
    before = predecessors({node: successors[node] for node in order})
    found = {root: root}

    def meet(a: int, b: int) -> int:
        while a != b:
            while rank[a] < rank[b]:
                a = found[a]
            while rank[b] < rank[a]:
                b = found[b]
        return a

    changed = True
    while changed:
        changed = False
        for node in reversed(order[:-1]):
            known = [p for p in before[node] if p in found]
            best = known[0]
            for other in known[1:]:
                best = meet(best, other)
            if found.get(node) != best:
                found[node] = best
                changed = True
    return found


def dominates(dominators: Mapping[int, int], a: int, b: int) -> bool:
    """Whether `a` is on all ways to `b`, `dominators` being immediate ones."""
    while b != a and dominators[b] != b:
        b = dominators[b]
    return a == b


def back_edges(successors: Successors, root: int) -> list[tuple[int, int]]:
    """The edges that lead to a dominator of their origin."""
    dominators = immediate_dominators(successors, root)
    return [(a, b) for a in sorted(dominators) for b in successors[a] if dominates(dominators, b, a)]


def natural_loops(successors: Successors, root: int) -> tuple[NaturalLoop, ...]:
    """Natural loops, one for each head, inner ones before outer ones."""
    before = predecessors(successors)
    bodies: dict[int, set[int]] = {}
    for tail, head in back_edges(successors, root):
        body = bodies.setdefault(head, {head})
        todo = [tail]
        while todo:
            node = todo.pop()
            if node not in body:
                body.add(node)
                todo.extend(before[node])
    loops = [NaturalLoop(head, frozenset(body)) for head, body in bodies.items()]
    return tuple(sorted(loops, key=lambda loop: (len(loop.nodes), loop.head)))


def irregular_loops(successors: Successors, root: int) -> tuple[frozenset[int], ...]:
    """Irregular loops, with more than one way in: components that are cyclic without back edges.

    A graph without them is reducible (Hecht and Ullman, "Characterizations of Reducible Flow Graphs", 1974).
    """
    back = set(back_edges(successors, root))
    forward = {a: tuple(b for b in following if (a, b) not in back) for a, following in successors.items()}
    return tuple(c for c in components(forward, postorder(forward, root)) if len(c) > 1)


def components(successors: Successors, order: list[int]) -> list[frozenset[int]]:
    """Strongly connected components, `order` being a postorder (Kosaraju)."""
    before = predecessors({node: successors[node] for node in order})
    found: list[frozenset[int]] = []
    seen: set[int] = set()
    for root in reversed(order):
        component: set[int] = set()
        todo = [root]
        while todo:
            node = todo.pop()
            if node not in seen:
                seen.add(node)
                component.add(node)
                todo.extend(before[node])
        if component:
            found.append(frozenset(component))
    return found


def topological(nodes: Iterable[int], successors: Callable[[int], Iterable[int]]) -> list[int]:
    """Topological order of the nodes of an acyclic graph, else by number."""
    members = set(nodes)
    waiting = dict.fromkeys(members, 0)
    following = {node: {s for s in successors(node) if s in members} for node in members}
    for targets in following.values():
        for target in targets:
            waiting[target] += 1
    ready = [node for node in members if waiting[node] == 0]
    heapify(ready)
    order: list[int] = []
    while ready:
        node = heappop(ready)
        order.append(node)
        for target in following[node]:
            waiting[target] -= 1
            if waiting[target] == 0:
                heappush(ready, target)
    return order
