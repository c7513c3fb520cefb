"""Ticket locks: who has drawn the ticket that is served comes after all who were served before."""

from tests.checking import verdicts

HEAD = """
#include <cuda/atomic>
using Word = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;
struct Lock { unsigned next, serving; };
"""
DRAW = "Word next(lock->next), serving(lock->serving); unsigned me = next.fetch_add(1u, cuda::memory_order_relaxed);"
WAIT = "while (serving.load(cuda::memory_order_acquire) != me) {}"
USE = "*sum += threadIdx.x + 1;"
GIVE = "serving.store(me + 1u, cuda::memory_order_release);"
SAFE = "safe: 2 of 2 pairs"
RACES = tuple(f"race: {first} use, write use; global; grid" for first in ("read", "write"))

LOCKS = {
    # name: verdicts, what the first thread of each block does
    "in_turn": ((SAFE,), (DRAW, WAIT, USE, GIVE)),
    "used_after_it": (RACES, (DRAW, WAIT, GIVE, USE)),
    "used_before_it": (RACES, (USE, DRAW, WAIT, GIVE)),
    "handed_on_without_order": (RACES, (DRAW, WAIT, USE, GIVE.replace("release", "relaxed"))),
    "waited_without_order": (RACES, (DRAW, WAIT.replace("acquire", "relaxed"), USE, GIVE)),
    "handed_on_to_another": ((SAFE,), (DRAW, WAIT, USE, GIVE.replace("1u", "2u"))),
    "handed_on_to_two": (RACES, (DRAW, WAIT, USE, GIVE, GIVE.replace("1u", "2u"))),
    "not_waited_for": (RACES, (DRAW, USE, GIVE)),
}

SOURCE = HEAD
for name, (verdict, steps) in LOCKS.items():
    body = "\n  ".join(step + "  // use" * (step is USE) for step in steps)
    SOURCE += "\n".join(("", *(f"// {v}" for v in verdict)))
    SOURCE += f"""
__global__ void {name}(int *sum, Lock *lock) {{
  if (threadIdx.x != 0) return;
  {body}
}}
"""
SOURCE += "int main() {\n  int *sum;\n  Lock *lock;\n  cudaMalloc(&sum, 4);\n  cudaMalloc(&lock, sizeof(Lock));\n"
SOURCE += "  cudaMemset(lock, 0, sizeof(Lock));\n"
for name in LOCKS:
    SOURCE += f"  {name}<<<4, 64>>>(sum, lock);\n  cudaDeviceSynchronize();\n"
SOURCE += "}\n"

test_kernel = verdicts(SOURCE)
