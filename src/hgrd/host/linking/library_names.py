"""Names of library functions and classes that host code calls, and what family of functions each belongs to.

What the functions do is in `host.library`; analyses that look at the text alone need the names only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from hgrd.program.expressions import Call, FunctionRef
from hgrd.program.types import OpaqueType

_CONTAINERS: Final = ("std::vector", "std::array", "std::basic_string", "std::string", "std::span", "thrust::")

_HOLDERS: Final = frozenset(
    (
        "optional", "pair", "tuple", "variant", "any", "expected", "map", "multimap", "unordered_map", "set", "deque",
        "unordered_multimap", "multiset", "unordered_set", "list", "forward_list", "queue", "priority_queue", "stack",
        "bitset", "valarray", "future", "shared_future", "promise", "reference_wrapper", "atomic",
    )
)  # fmt: skip
_GETTERS: Final = ("get", "get_if", "any_cast")  # functions of the library are known by their last name
LOOKING: Final = frozenset(  # by keys and numbers that stay as they are (C++ [associative.reqmts], [sequence.reqmts])
    (
        "operator[]", "at", "find", "count", "contains", "erase", "extract", "lower_bound", "upper_bound",
        "equal_range", "reserve", "rehash",
    )
)  # fmt: skip
"""Names of member functions of containers that get, or take out, what is under a key or number."""
_MAPS: Final = ("std::map", "std::unordered_map")
_INSERTERS: Final = ("std::back_insert_iterator<", "std::front_insert_iterator<", "std::insert_iterator<")
_SEQUENCES: Final = ("std::vector", "std::array", "std::deque", "std::span")
_HOLDING_ONE: Final = ("std::unique_ptr", "std::shared_ptr", "std::optional", "std::reference_wrapper")
_ELEMENT: Final = ("operator[]", "at")
_RANGE_ACCESS: Final = (
    "std::begin", "std::end", "std::cbegin", "std::cend", "std::data", "std::size", "std::ssize",
)  # fmt: skip
ADDRESSING: Final = (
    "addressof", "__builtin_addressof", "move", "forward", "ref", "cref", "as_const", "tie", "forward_as_tuple",
    "begin", "end", "data", "get", "raw_pointer_cast", "raw_reference_cast", "device_pointer_cast",
)  # fmt: skip
"""Functions of the library that look at no value which they get by reference."""
_ADDING: Final = ("push_back", "emplace_back", "insert", "emplace")
_KEEPING: Final = (  # member functions of containers and iterators
    "begin", "end", "cbegin", "cend", "rbegin", "rend", "size", "empty", "capacity", "data", "front", "back", "length",
    "operator++", "operator--", "operator+", "operator-", "operator+=", "operator-=", "operator*", "operator->",
    "operator==", "operator!=", "operator<", "operator<<", "operator bool", "get", "c_str", "has_value",
)  # fmt: skip
_USING: Final = re.compile(
    r"cuda(Event(Record|Synchronize|Query|ElapsedTime|Destroy)|Stream(WaitEvent|Synchronize|Query|Destroy)|Mem(cpy|set)"
    r"|DeviceSynchronize|SetDevice|GetLastError|PeekAtLastError|Free|LaunchHostFunc)\w*"
)
_CONTENT: Final = ("operator->", "operator*", "get", "value")
_NUMBERS: Final = re.compile(
    r"((unsigned|signed|const|char|short|int|long|float|double|bool|__half|std::size_t|size_t|u?int\d+_t) ?)+[,>]"
)
_ALLOCATING: Final = (  # beginnings of names of C functions of libraries
    "cuda", "hip", "cu", "nvshmem_", "nvshmemx_", "MPI_", "numa_", "kokkos_", "omp_", "acc_", "ncclMem", "__builtin_",
)  # fmt: skip

_STORING: Final = (
    "swap", "push_back", "emplace_back", "cudaMalloc", "cudaMallocAsync", "cudaMallocManaged", "cudaMallocHost",
    "cudaHostAlloc", "cudaMallocPitch", "cudaMallocArray", "cudaMalloc3DArray", "cuMemAlloc", "cuMemAlloc_v2",
)  # fmt: skip
_COPIES: Final = ("cudaMemcpy", "cuMemcpyHtoD", "memcpy", "memmove")
_BACK: Final = ("cudaMemcpyFromSymbol", "cudaMemcpyFromSymbolAsync")

_HIDDEN: Final = (  # synchronisation with host threads that may have written anything, and other names of elements
    "std::span", "thrust::device_ptr", "thrust::device_reference", "thrust::pointer", "thrust::reference",
    "std::thread", "std::jthread", "std::future", "std::shared_future", "std::async", "std::mutex", "std::unique_lock",
    "std::lock_guard", "std::scoped_lock", "std::condition_variable", "std::atomic", "std::barrier", "std::latch",
    "std::counting_semaphore", "std::binary_semaphore", "pthread_", "sem_",
)  # fmt: skip

ALGORITHMS: Final = frozenset(  # C++ [algorithms], [numeric.ops]
    (
        "sort", "stable_sort", "partial_sort", "nth_element", "is_sorted", "is_sorted_until", "reverse",
        "reverse_copy", "rotate", "rotate_copy", "shuffle", "unique", "unique_copy", "fill", "fill_n", "copy",
        "copy_n", "copy_backward", "move_backward", "swap_ranges", "iter_swap", "iota", "accumulate", "reduce",
        "inner_product", "partial_sum", "adjacent_difference", "max_element", "min_element", "minmax_element",
        "minmax", "find", "find_end", "find_first_of", "adjacent_find", "search", "count", "equal", "mismatch",
        "lexicographical_compare", "binary_search", "lower_bound", "upper_bound", "equal_range", "merge",
        "inplace_merge", "includes", "set_union", "set_intersection", "set_difference", "remove", "remove_copy",
        "replace", "replace_copy", "is_permutation", "next_permutation", "prev_permutation", "make_heap", "push_heap",
        "pop_heap", "sort_heap", "is_heap",
    )
)  # fmt: skip
"""Names of algorithms of the C++ library that call nothing but operators, unless they are given a function."""

_COMPUTING: Final = ALGORITHMS | frozenset(  # C++ [alg.nonmodifying], [numeric.ops], [iterator.operations], [c.math]
    (
        "count_if", "transform_reduce", "midpoint", "lerp", "distance", "ssize",
        "round", "lround", "llround", "rint", "lrint", "llrint", "nearbyint", "trunc", "fmod", "remainder", "hypot",
        "cbrt", "exp", "exp2", "log", "log10", "sin", "cos", "tan", "sqrt", "pow", "log2", "ceil", "floor", "fma",
    )
)  # fmt: skip

_FAMILIES: Final = {
    "assumption": ("__hgrd_assert __requires __assume __assert __global_requires __global_assert __builtin_assume"),
    "implication": "__implies",
    "power of two": "__is_pow2",
    "end": ("exit abort _Exit _exit quick_exit terminate __assert_fail __builtin_trap __builtin_unreachable longjmp"),
    "malloc": "malloc valloc alloca __builtin_alloca _mm_malloc",
    "realloc": "realloc aligned_alloc memalign _aligned_malloc",
    "calloc": "calloc",
    "posix_memalign": "posix_memalign",
    "memset": "memset __builtin_memset",
    "memcpy": "memcpy memmove __builtin_memcpy",
    "swap": "swap",
    "exchange": "exchange",
    "identity": "move forward as_const addressof __addressof",
    "first of several": "operator<< __builtin_expect",
    "extraction": "operator>> getline",
    "minimum": "min fmin fminf umin",
    "maximum": "max fmax fmaxf umax",
    "clamp": "clamp",
    "greatest common divisor": "gcd",
    "least common multiple": "lcm",
    "function of bits": (
        "has_single_bit popcount bit_width bit_ceil bit_floor countl_zero countl_one countr_zero countr_one"
    ),
    "intrinsic": (
        "__builtin_popcount __builtin_popcountl __builtin_popcountll __builtin_clz __builtin_clzl __builtin_clzll "
        "__builtin_ctz __builtin_ctzl __builtin_ctzll __builtin_ffs __builtin_ffsl __builtin_ffsll"
    ),
    "ceiling": "ceil ceilf ceill",
    "floor": "floor floorf floorl",
    "nearest": "round roundf lround lroundf llround llroundf",
    "absolute value": "abs labs llabs fabs fabsf",
    "power": "pow powf",
    "square root": "sqrt sqrtf",
    "logarithm": "log2 log2f",
    "pointer or null": "getenv fopen strchr strrchr strstr strtok fgets opendir popen",
    "length": "strlen sizeof_pack",
    "number in a text": "atoi atol atoll",
    "random number": "rand random lrand48",
    "clock": "time gettimeofday",
    "no effect": (
        "printf fprintf puts putchar perror fputs fflush fclose free strcmp strncmp strcasecmp memcmp "
        "atof strtoull strtof srand srand48 drand48 clock usleep sleep fwrite operator== operator!= "
        "operator< operator> operator<= operator>= stoi stol stoul stof stod to_string"
    ),
}

LIBC_FAMILIES: Final[Mapping[str, tuple[str, ...]]] = {
    family: tuple(names.split()) for family, names in _FAMILIES.items()
}
"""Functions of the C and C++ libraries whose effect is known, by what they have in common."""

LIBC_NAMES: Final = frozenset(name for family in LIBC_FAMILIES.values() for name in family)
"""All names in `LIBC_FAMILIES`."""


def computes_number(function: FunctionRef) -> bool:
    """Whether a library function makes a number of its arguments and of what they lead to, and takes none in."""
    return function.qualified.removeprefix("std::") in _COMPUTING and not is_of_program(function)


def hides_stores(qualified: str) -> bool:
    """Whether what a function of this name leads to may be stored anywhere, by other threads or under other names."""
    return qualified.startswith(_HIDDEN)


def stores_inside(call: Call) -> bool:
    """Whether a function stores in what objects lead to that it gets: tuples of references, insert iterators."""
    types = [a.type.name for a in call.arguments if isinstance(a.type, OpaqueType)]
    return call.function.qualified.startswith("std::tuple::") or any(name.startswith(_INSERTERS) for name in types)


def is_special(function: FunctionRef) -> bool:
    """Whether a function is a constructor, a destructor or an operator."""
    owner = function.qualified.removesuffix(function.name).removesuffix("::")
    constructs = re.search(rf"(^|::){re.escape(function.name)}(<.*>)?$", owner)
    return constructs is not None or re.match(r"~|operator\b", function.name) is not None


def is_of_program(function: FunctionRef) -> bool:
    """Whether the program declares a function itself, whatever the libraries call by that name.

    A name without parameter types is that of a C function, which all programs share; two underscores begin names that
    no program may give (C++ [lex.name]).
    """
    return function.user_code and function.key != function.name and not function.name.startswith("__")


def returns_argument(function: FunctionRef) -> bool:
    """Whether a function of the C++ library returns what it gets, and does nothing: `std::forward`, `std::move`."""
    known = function.qualified.rpartition("::")[0] in ("", "std") and function.name in LIBC_FAMILIES["identity"]
    return known and not is_of_program(function)


def makes_memory(function: FunctionRef) -> bool:
    """Whether a library function makes memory that no one else has: one with a declaration, or with a known name."""
    if "alloc" not in function.name.lower() or is_of_program(function):
        return False
    declared = function.key != function.name
    return declared or function.name in LIBC_NAMES or function.name.startswith(_ALLOCATING)


def stores_elements(functions: frozenset[str]) -> bool:
    """Whether library functions whose stores to elements are followed are among these: `swap`, `push_back` …"""
    return any(name.endswith(_STORING) for name in functions)


def of_container(qualified: str) -> bool:
    """Whether a function is a member of a container of the C++ library or of Thrust."""
    return qualified.rpartition("::")[0].startswith(_CONTAINERS)


def holds_numbers(name: str) -> bool:
    """Whether containers of a type, by its name, have numbers as elements."""
    return _NUMBERS.match(name.partition("<")[2]) is not None


def looks_up(function: FunctionRef) -> bool:
    """Whether a member function of a container of the C++ library gets, or takes out, what is under a key or number."""
    owner, _, name = function.qualified.rpartition("::")
    return name in LOOKING and (holds_values(owner) or of_container(function.qualified))


def holds_values(name: str) -> bool:
    """Whether a class is one of the C++ library whose objects hold values that the program has given to them."""
    class_ = name.partition("<")[0]
    return class_.startswith("std::") and class_.removeprefix("std::") in _HOLDERS


def hands_on(function: FunctionRef) -> bool:
    """Whether a function returns what the program has given to an object of the C++ library: no input of its own."""
    owner = function.qualified.rpartition("::")[0]
    return holds_values(owner) or (function.name in _GETTERS and owner in ("", "std") and not is_of_program(function))


def copies_memory(name: str) -> bool:
    """Whether a function of this name copies memory, its second argument, to its first one."""
    return name.startswith(_COPIES) and name not in _BACK


def is_keyed(function: FunctionRef) -> bool:
    """Whether a function gets the element of a map under a key."""
    return function.qualified.startswith(_MAPS) and function.name in _ELEMENT


def keeps_elements(function: FunctionRef) -> bool:
    """Whether a function leaves what objects of the C++ library hold as it is."""
    taking_out = function.name in ("erase", "extract")
    named = function.qualified.rpartition("::")[0] in ("", "std") and function.name in LIBC_NAMES - {"swap"}
    looks = looks_up(function) and not taking_out
    return looks or function.name in _KEEPING or named or keeps_object(function) or _uses_handles(function.name)


def _uses_handles(name: str) -> bool:
    """Whether a function of the CUDA runtime gets handles and memory of numbers, and stores no handles."""
    return _USING.fullmatch(name) is not None


def is_range_access(qualified: str) -> bool:
    """Whether a function is one that gets where the elements of a container or array are (C++ [iterator.range])."""
    return qualified in _RANGE_ACCESS


def adds_elements(function: FunctionRef) -> bool:
    """Whether a member function of a container makes what it gets elements of it, and nothing else of it."""
    return function.name in _ADDING and of_container(function.qualified)


def adds_only(function: FunctionRef) -> bool:
    """Whether a member function of a container adds elements and leaves the others where they are."""
    owner, _, name = function.qualified.rpartition("::")
    behind = name in ("push_back", "emplace_back")
    keyed = name in ("insert", "emplace", "try_emplace") and not of_container(function.qualified)
    return behind or (keyed and holds_values(owner) and not owner.startswith("std::deque"))


def keeps_object(function: FunctionRef) -> bool:
    """Whether a function gets what its object holds, or an element of it by its number, and changes nothing."""
    owner, _, name = function.qualified.rpartition("::")
    if owner.startswith(_SEQUENCES):
        return name in _ELEMENT
    return owner.startswith(_HOLDING_ONE) and name in _CONTENT
