"""Device functions that CUDA declares outside of classes: what kind of function each is.

A row says what a call is.  Names that begin with `ptx.` stand for instructions of inline assembly that C++ has no
function for.  What it means is said by each of the interpreters: `protocol.device_calls`,
`simulate.lockstep.device` and `simulate.interleaving`.  Atomics have a table of their own (`cuda.atomics`), and so have
cooperative groups (`cuda.groups`).

CUDA C++ Programming Guide, "C++ Language Extensions"; CUDA Math API.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from hgrd.cuda.limits import MAX_THREADS
from hgrd.cuda.memory_model import Scope
from hgrd.cuda.ptx.registers import MACHINE_REGISTERS


class Kind(Enum):
    """What a call can do to other threads, and what its result is a function of."""

    BLOCK_BARRIER = "waits for the threads of the block"
    NAMED_BARRIER = "waits for threads of the block that give a number"
    WARP_BARRIER = "waits for lanes of the warp"
    CLUSTER_BARRIER = "waits for the blocks of the cluster"
    FENCE = "orders accesses of the thread before and after"
    SHUFFLE = "takes a value from another lane"
    VOTE = "collects predicates of lanes"
    MATCH = "compares values of lanes"
    REDUCE = "folds values of lanes"
    ACTIVE_MASK = "tells which lanes happen to be here"
    LANE = "tells the lane, or the number of the warp"
    LOAD = "reads memory, with a cache hint"
    STORE = "writes memory, with a cache hint"
    COPY = "copies bytes"
    FILL = "fills bytes"
    ASYNC_COPY = "copies bytes some time later"
    PIPELINE = "takes or gives back a stage of a pipeline of several threads"
    HEAP = "makes memory of the thread's own"
    SILENT = "does nothing that threads see"
    REGISTER = "reads a register of the machine"
    UNTOLD = "gives a value of the thread's own that is not known"
    STOP = "ends the launch, or is never reached"
    ASSERT = "ends the launch unless a condition holds"
    SPECIFICATION = "states what holds, and does nothing"
    NUMBER = "computes a result of numbers"
    NUMBERS = "computes results of numbers, and stores them where arguments point to"
    SMALL_FLOAT = "computes with half, bfloat16 or 8 bit numbers"
    VECTOR = "makes or computes with a record of numbers"
    ADDRESS = "computes with addresses"
    RANDOM = "draws from a random generator in memory"
    TEXTURE = "fetches from a texture"
    SURFACE = "reads or writes a surface"
    FRAGMENT = "loads or stores an element of a matrix that a lane of the warp holds"


class Builtin(Struct, frozen=True):
    """What is known of a device function by its name.

    `operation` says which of its kind it is: "up" of a shuffle, "ballot" of a vote, "add" of a reduction, "count" of a
    barrier that votes.  `scope`: of threads that meet, or that a fence orders memory for; None of others.
    `masked`: the first argument names the lanes that take part.  `result`: the least and greatest value; None: what
    the type allows.  `writes` are the numbers of arguments that point to where a result is stored.
    """

    kind: Kind
    operation: str = ""
    scope: Scope | None = None
    masked: bool = False
    result: tuple[int, int] | None = None
    writes: tuple[int, ...] = ()


def _alike(row: Builtin, names: str) -> dict[str, Builtin]:
    return dict.fromkeys(names.split(), row)


_TRUTH = (0, 1)  # PTX makes a predicate of "non-zero" (PTX ISA, vote.sync, bar.red)
_SHUFFLES = {"": "", "_up": "up", "_down": "down", "_xor": "xor"}
_FOLDS = ("add", "min", "max", "and", "or", "xor")

BUILTINS: dict[str, Builtin] = {
    # ------------------------------------------------------------ barriers and fences
    **_alike(Builtin(Kind.BLOCK_BARRIER, scope=Scope.BLOCK), "__syncthreads __builtin_amdgcn_s_barrier"),
    "__syncthreads_count": Builtin(Kind.BLOCK_BARRIER, "count", Scope.BLOCK, result=(0, MAX_THREADS)),
    "__syncthreads_and": Builtin(Kind.BLOCK_BARRIER, "and", Scope.BLOCK, result=_TRUTH),
    "__syncthreads_or": Builtin(Kind.BLOCK_BARRIER, "or", Scope.BLOCK, result=_TRUTH),
    "__barrier_sync": Builtin(Kind.NAMED_BARRIER, scope=Scope.BLOCK),
    "__barrier_sync_count": Builtin(Kind.NAMED_BARRIER, "count", Scope.BLOCK),
    "ptx.barrier.arrive": Builtin(Kind.NAMED_BARRIER, "arrive", Scope.BLOCK),
    "__syncwarp": Builtin(Kind.WARP_BARRIER, scope=Scope.WARP, masked=True),
    "__cluster_barrier_arrive": Builtin(Kind.CLUSTER_BARRIER, "arrive", Scope.BLOCK),
    "__cluster_barrier_wait": Builtin(Kind.CLUSTER_BARRIER, "wait", Scope.BLOCK),
    "__threadfence_block": Builtin(Kind.FENCE, scope=Scope.BLOCK),
    "__threadfence": Builtin(Kind.FENCE, scope=Scope.DEVICE),
    "__threadfence_system": Builtin(Kind.FENCE, scope=Scope.SYSTEM),
    "__nv_atomic_thread_fence": Builtin(Kind.FENCE, "scoped"),  # order and scope are arguments
    # ------------------------------------------------------------ warps
    **{
        f"__shfl{name}{sync}": Builtin(Kind.SHUFFLE, operation, Scope.WARP, masked=bool(sync))
        for name, operation in _SHUFFLES.items()
        for sync in ("", "_sync")
    },
    **{
        f"__{name}{sync}": Builtin(
            Kind.VOTE, name, Scope.WARP, masked=bool(sync), result=None if name == "ballot" else _TRUTH
        )
        for name in ("ballot", "any", "all", "uni")
        for sync in ("", "_sync")
    },
    "__match_any_sync": Builtin(Kind.MATCH, "any", Scope.WARP, masked=True),
    "__match_all_sync": Builtin(Kind.MATCH, "all", Scope.WARP, masked=True, writes=(2,)),
    **{f"__reduce_{name}_sync": Builtin(Kind.REDUCE, name, Scope.WARP, masked=True) for name in _FOLDS},
    "__activemask": Builtin(Kind.ACTIVE_MASK, scope=Scope.WARP),
    "__lane_id": Builtin(Kind.LANE),
    "ptx.warpid": Builtin(Kind.LANE, "warp"),
    # ------------------------------------------------------------ memory
    **_alike(Builtin(Kind.LOAD), "__ldg __ldcg __ldca __ldcs __ldlu __ldcv __builtin_nontemporal_load"),
    **_alike(Builtin(Kind.STORE), "__stcg __stcs __stwt __stwb"),
    "__load_element": Builtin(Kind.FRAGMENT, "load", Scope.WARP),
    "__store_element": Builtin(Kind.FRAGMENT, "store", Scope.WARP),
    **_alike(Builtin(Kind.COPY), "memcpy memmove __builtin_memcpy __builtin_memmove"),
    **_alike(Builtin(Kind.FILL), "memset __builtin_memset"),
    "__pipeline_memcpy_async": Builtin(Kind.ASYNC_COPY, "copy"),
    "__pipeline_commit": Builtin(Kind.ASYNC_COPY, "commit"),
    "__pipeline_wait_prior": Builtin(Kind.ASYNC_COPY, "wait"),
    "__pipeline_wait_prior_of": Builtin(Kind.ASYNC_COPY, "wait of"),
    "__pipeline_commit_of": Builtin(Kind.ASYNC_COPY, "commit of"),
    "__pipeline_wait_oldest_of": Builtin(Kind.ASYNC_COPY, "wait for oldest of"),
    "__nv_ptx_builtin_ocg_memcpy": Builtin(Kind.ASYNC_COPY),
    "__pipeline_make": Builtin(Kind.PIPELINE, "make", Scope.BLOCK),
    "__pipeline_acquire": Builtin(Kind.PIPELINE, "acquire", Scope.BLOCK),
    "__pipeline_commit_stage": Builtin(Kind.PIPELINE, "commit", Scope.BLOCK),
    "__pipeline_wait_stage": Builtin(Kind.PIPELINE, "wait", Scope.BLOCK),
    "__pipeline_release": Builtin(Kind.PIPELINE, "release", Scope.BLOCK),
    **_alike(Builtin(Kind.HEAP), "malloc alloca __builtin_alloca"),
    # ------------------------------------------------------------ the machine
    **_alike(
        Builtin(Kind.SILENT),
        "printf vprintf puts free __nanosleep __prefetch_global_l1 __prefetch_global_l2 __builtin_prefetch __brkpt"
        " __prof_trigger __debugsync __syncwarp_hint __nv_atomic_signal_fence"
        " cudaGridDependencySynchronize cudaTriggerProgrammaticLaunchCompletion",  # order whole grids
    ),
    **dict.fromkeys(("operator delete", "operator delete[]"), Builtin(Kind.SILENT)),
    **dict.fromkeys((name for name, _ in MACHINE_REGISTERS.values()), Builtin(Kind.REGISTER)),
    **_alike(
        Builtin(Kind.STOP),
        "__trap __builtin_trap abort exit __assertfail __assert_fail __builtin_unreachable",
    ),
    **_alike(Builtin(Kind.ASSERT), "assert __hgrd_assert"),
    # ------------------------------------------------------------ numbers
    **_alike(Builtin(Kind.NUMBER, "min"), "min umin llmin ullmin fmin fminf"),
    **_alike(Builtin(Kind.NUMBER, "max"), "max umax llmax ullmax fmax fmaxf"),
    **_alike(Builtin(Kind.NUMBER, "abs"), "abs labs llabs"),
    **_alike(Builtin(Kind.NUMBER, "ceil"), "ceil ceilf"),
    **_alike(Builtin(Kind.NUMBER, "floor"), "floor floorf"),
    **_alike(Builtin(Kind.NUMBER, "mul24"), "__mul24 __umul24 mul24 umul24"),
    **_alike(Builtin(Kind.NUMBER, result=(0, 32)), "__popc __popcnt __builtin_popcount __clz __builtin_clz __ffs"),
    **_alike(Builtin(Kind.NUMBER, result=(0, 64)), "__popcll __clzll __ffsll"),
    **_alike(Builtin(Kind.NUMBER, result=(0, 32)), "__builtin_ctz __builtin_ffs"),
    **_alike(
        Builtin(Kind.NUMBER, result=(0, 64)),
        "__builtin_popcountll __builtin_clzll __builtin_ctzll __builtin_ffsll",
    ),
    **_alike(Builtin(Kind.NUMBER, result=_TRUTH), "__builtin_parity __builtin_parityll"),
    **_alike(Builtin(Kind.NUMBER), "__builtin_bswap16 __builtin_bswap32 __builtin_bswap64"),
    **_alike(Builtin(Kind.NUMBER, result=_TRUTH), "isnan isinf isfinite signbit"),
    **_alike(
        Builtin(Kind.NUMBER),
        "__fns __brev __brevll __mulhi __umulhi __mul64hi __umul64hi mulhi umulhi __sad __usad __rhadd __uhadd"
        " __urhadd __byte_perm __funnelshift_l __funnelshift_lc __funnelshift_r __funnelshift_rc __dp4a __dp2a_lo"
        " __dp2a_hi __bitextract __bitinsert fabs exp10 __hgrd_stated",
    ),
    **_alike(Builtin(Kind.NUMBERS, writes=(1, 2)), "sincos sincosf __sincosf sincospi sincospif"),
    **_alike(Builtin(Kind.NUMBERS, writes=(1,)), "modf modff frexp frexpf"),
    **_alike(Builtin(Kind.NUMBERS, writes=(2,)), "remquo remquof __vibmax_s32 __vibmin_s32 __vibmax_u32 __vibmin_u32"),
    **_alike(Builtin(Kind.NUMBERS, writes=(2, 3)), "__vibmax_s16x2 __vibmin_s16x2 __vibmax_u16x2 __vibmin_u16x2"),
    "__hadd": Builtin(Kind.NUMBER),  # of integers the average, of halves the sum
    # ------------------------------------------------------------ specifications
    **_alike(
        Builtin(Kind.SPECIFICATION, "condition"),
        "__assume __builtin_assume __requires __global_requires __global_assert __distinct_int __distinct_bool"
        " __uniform_int __uniform_bool",
    ),
    "__assert": Builtin(Kind.SPECIFICATION, "assert"),
    "__implies": Builtin(Kind.SPECIFICATION, "implies"),
    "__ptr_offset_bytes": Builtin(Kind.SPECIFICATION, "offset"),
}
"""By unqualified name."""

_MODE = r"_r[nzdu]"
_FAMILIES: tuple[tuple[re.Pattern[str], Builtin], ...] = tuple(
    (re.compile(pattern), row)
    for pattern, row in (
        # GPUVerify and Faial
        (
            r"__(global_)?(invariant|ensures|candidate|requires_fresh_array|no_read|no_write|read|write|reads_from"
            r"|writes_to|array_snapshot|barrier_invariant|function_wide|enabled|return_val|old|other|non_temporal"
            r"|axiom)\w*",
            Builtin(Kind.SPECIFICATION),
        ),
        # rounded arithmetic; conversions; bits
        (rf"__[fd](add|sub|mul|div|rcp|sqrt){_MODE}|__fmaf?(_ieee)?{_MODE}|__frsqrt_rn", Builtin(Kind.NUMBER)),
        (
            rf"__(float|double|int|uint|ll|ull)2(float|double|int|uint|ll|ull){_MODE}|u?int2float|float2u?int",
            Builtin(Kind.NUMBER),
        ),
        (r"(__)?(u?int_as_float|float_as_u?int)|__double_as_longlong|__longlong_as_double", Builtin(Kind.NUMBER)),
        (r"__double2(hi|lo)int|__hiloint2double", Builtin(Kind.NUMBER)),
        # fast and special functions
        (r"__(sin|cos|tan|exp|exp10|log|log2|log10|pow|saturate|tanh|fdivide)f?|fdividef?", Builtin(Kind.NUMBER)),
        (
            r"(rsqrt|rcbrt|sinpi|cospi|normcdf|normcdfinv|erfinv|erfcinv|erfcx|cyl_bessel_i[01]|rhypot|r?norm[34]d)f?",
            Builtin(Kind.NUMBER),
        ),
        (r"r?normf?", Builtin(Kind.NUMBER, "array")),  # of as many numbers in memory as an argument says
        (r"lerp|saturate|smoothstep|frac|clamp", Builtin(Kind.VECTOR)),
        # two or four small integers in a word ("SIMD"); minima and maxima of several ("DPX")
        (
            r"__v(abs|absss|neg|negss|add|addss|addus|sub|subss|subus|avg[su]|haddu|absdiff[su]|max[su]|min[su]|sad[su]"
            r"|(cmp|set)(eq|ne|g[et][su]|l[et][su]))[24]",
            Builtin(Kind.NUMBER),
        ),
        (r"__vi(add)?(max|min)3?_(s32|u32|s16x2|u16x2)(_relu)?", Builtin(Kind.NUMBER)),
        # half, bfloat16, 8 bits
        (
            r"__h(?!grd|ip)\w+|__h2div|h2?(sqrt|rsqrt|rcp|exp|exp2|exp10|log|log2|log10|sin|cos|tanh|tanh_approx|floor|ceil|rint"
            r"|trunc)",
            Builtin(Kind.SMALL_FLOAT),
        ),
        (r"__\w*(half|bfloat16)\w*|__(low|high)2float|__lowhigh2highlow|__nv_cvt_\w*fp8\w*", Builtin(Kind.SMALL_FLOAT)),
        # vectors, complex numbers
        (r"make_\w+", Builtin(Kind.VECTOR, "make")),
        (r"dim3|uint3", Builtin(Kind.VECTOR, "dim3")),
        (r"dot|length|distance|cross|normalize|reflect", Builtin(Kind.VECTOR)),
        (r"cuC(real|imag|abs|onj|add|sub|mul|div|fma)f?|cuComplex(DoubleToFloat|FloatToDouble)", Builtin(Kind.VECTOR)),
        # addresses
        (
            r"__is(Global|Shared|Constant|Local|GridConstant)|__cvta_\w+|__nv_associate_access_property",
            Builtin(Kind.ADDRESS),
        ),
        # instructions of PTX that touch registers alone, by the names that the lowering of assembly gives them
        (r"ptx\.own\..*", Builtin(Kind.UNTOLD)),
        (r"ptx\..*", Builtin(Kind.NUMBER)),
        # random numbers, textures, surfaces
        (r"curand\w*|skipahead(_sequence|_subsequence)?", Builtin(Kind.RANDOM)),
        (r"tex(1D|2D|3D|Cubemap)\w*", Builtin(Kind.TEXTURE)),
        (r"surf(1D|2D|3D|1DLayered|2DLayered|Cubemap|CubemapLayered)(read|write)", Builtin(Kind.SURFACE)),
    )
)


@cache
def builtin(name: str) -> Builtin | None:
    """What CUDA's device function of this unqualified name is; None of other functions."""
    row = BUILTINS.get(name)
    if row is not None:
        return row
    for pattern, family in _FAMILIES:
        match = pattern.fullmatch(name)
        if match is not None:
            return replace(family, operation=match[2]) if family.kind is Kind.SURFACE else family
    return None


def kind_of(name: str) -> Kind | None:
    """The kind of CUDA's device function of this unqualified name; None of other functions."""
    row = builtin(name)
    return None if row is None else row.kind


_WIDELY = frozenset({Kind.BLOCK_BARRIER, Kind.NAMED_BARRIER})
_MEETING = _WIDELY | {Kind.WARP_BARRIER, Kind.SHUFFLE, Kind.VOTE, Kind.MATCH, Kind.REDUCE, Kind.ACTIVE_MASK}


def meets(name: str) -> bool:
    """Whether threads may have to wait for each other at a call of this function."""
    return kind_of(name) in _MEETING


def meets_widely(name: str) -> bool:
    """Whether it is a barrier of more than a warp."""
    return kind_of(name) in _WIDELY
