"""Device functions that the shipped headers declare and that are no rows of `cuda`, with the reason for each.

A call of one is an unknown function to every interpreter: the protocol says so, and the simulators stop.
"""

GAPS: dict[str, str] = {
    r"cuda(?!::)\w+|__(cuda|hip)PushCallConfiguration": "the runtime API; in device code it launches and allocates",
    r"klee_\w+": "KLEE's functions are for the host code of test programs",
    r"__(at_most_one|exclusive|is_pow2|no_wrap_add|mod_pow2|add_noovfl(_(un)?signed)?|ptr_base"
    r"|requires_disjoint_arrays)": "specifications that neither GPUVerify's nor Faial's tests use",
    r"__nv_atomic_compare_exchange_n": "the expected value is read and written through a pointer",
    r"__barrier_sync_count": "a barrier of some of the block's threads",
    r"(__half|__half2|__nv_bfloat16|__nv_bfloat162|__nv_fp8\w*|dim3|uint3)(::.*)?": "constructors and operators of "
    "number types; the type says what they are",
    r"operator\W+|operator\w+": "operators of vector and small float types; the type says what they are",
    r"cub::.*": "CUB is recognised by its namespace: collectives of a block or warp, and what the host calls",
    r"nvcuda::.*": "matrix fragments of a warp",
    r"cuda::(barrier|pipeline|counting_semaphore|aligned_size_t|__no_completion)(::.*)?|cuda::(init|memcpy_async"
    r"|make_pipeline|pipeline_\w+)": "barriers, pipelines and semaphores in memory",
    r"cuda::(device|ptx)::.*": "asynchronous copies in bulk and PTX by name",
    r"cuda::(std|maximum|minimum).*": "functions of values that only host code and CUB are given",
    r"cuda::atomic_signal_fence|cuda::atomic(_ref)?::is_lock_free": "tells of the compiler, not of memory",
    r"cooperative_groups::(plus|less|greater|bit_and|bit_or|bit_xor)::.*": "functors that reductions are given",
    r"cooperative_groups::thread_block_tile::thread_block_tile": "copies a handle",
}
"""Patterns of qualified names."""

MEANINGS_MISSING: dict[str, dict[str, str]] = {
    "lockstep": {
        "CLUSTER_BARRIER": "clusters are not simulated",
        "ASYNC_COPY": "copies that end later are not simulated",
        "NUMBER": "known by its name, in device.math",
        "SMALL_FLOAT": "known by the types of its arguments, in device.half_precision",
        "ADDRESS": "spaces have no addresses",
        "RANDOM": "generators have no states",
        "TEXTURE": "textures are not simulated",
        "SURFACE": "surfaces are not simulated",
    },
    "interleaving": {
        "CLUSTER_BARRIER": "clusters are not simulated",
        "ACTIVE_MASK": "the oracle runs one thread at a time",
        "COPY": "the oracle has no copies of bytes",
        "FILL": "the oracle has no copies of bytes",
        "ASYNC_COPY": "the oracle has no copies of bytes",
        "REGISTER": "the oracle has no clocks",
        "NUMBERS": "the oracle has no functions of two results",
        "SMALL_FLOAT": "the oracle has no half precision",
        "ADDRESS": "spaces have no addresses",
        "RANDOM": "generators have no states",
        "TEXTURE": "the oracle has no textures",
        "SURFACE": "the oracle has no surfaces",
    },
}
"""By interpreter: the kinds of device functions that it gives no meaning, and why."""
