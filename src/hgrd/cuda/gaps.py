"""Device functions that the shipped headers declare and that are no rows of `cuda`, with the reason for each.

A call of one is an unknown function to every interpreter: the protocol says so, and the simulators stop.
"""

GAPS: dict[str, str] = {
    r"cuda(?!::)\w+|__(cuda|hip)PushCallConfiguration": "the runtime API; in device code it launches and allocates",
    r"klee_\w+": "KLEE's functions are for the host code of test programs",
    r"__(at_most_one|exclusive|is_pow2|no_wrap_add|mod_pow2|add_noovfl(_(un)?signed)?|ptr_base"
    r"|requires_disjoint_arrays)": "specifications that neither GPUVerify's nor Faial's tests use",
    r"(__half|__half2|__nv_bfloat16|__nv_bfloat162|__nv_fp8\w*|dim3|uint3)(::.*)?": "constructors and operators of "
    "number types; the type says what they are",
    r"operator\W+|operator\w+": "operators of vector and small float types; the type says what they are",
    r"cub::.*": "CUB is recognised by its namespace: collectives of a block or warp, and what the host calls",
    r"nvcuda::.*": "matrix fragments of a warp; our header has bodies of what loads and stores them",
    r"cuda::(barrier|counting_semaphore|__no_completion)(::.*)?|cuda::(init|memcpy_async)": "barriers in memory, and "
    "semaphores",
    r"cuda::(pipeline(_\w+)?|make_pipeline)(::.*)?": "our header has their bodies",
    r"cuda::(device|ptx)::.*": "asynchronous copies in bulk and PTX by name",
    r"cuda::(std|maximum|minimum).*": "functions of values that only host code and CUB are given",
    r"cuda::atomic_signal_fence|cuda::atomic(_ref)?::is_lock_free": "tells of the compiler, not of memory",
    r"cooperative_groups::(plus|less|greater|bit_and|bit_or|bit_xor)::.*": "functors that reductions are given",
    r"cooperative_groups::thread_block_tile::thread_block_tile": "copies a handle",
    r"cooperative_groups::(invoke_one(_broadcast)?|reduce_\w+_async|\w+_scan_update|__update|wait_prior)": "our header "
    "has their bodies",
}
"""Patterns of qualified names."""

MEANINGS_MISSING: dict[str, dict[str, str]] = {
    "protocol": {
        "SMALL_FLOAT": "to the handler of unknown functions: a function of its arguments",
    },
    "lockstep": {
        "CLUSTER_BARRIER": "clusters are not simulated",
        "ASYNC_COPY": "copies that end later are not simulated",
        "PIPELINE": "run as statements, in lockstep.waits",
        "SMALL_FLOAT": "known by the types of its arguments, in device.half_precision",
        "UNTOLD": "nothing is known of the value",
        "FRAGMENT": "which lane holds an element is not known",
    },
    "interleaving": {
        "CLUSTER_BARRIER": "clusters are not simulated",
        "ACTIVE_MASK": "the oracle runs one thread at a time",
        "ASYNC_COPY": "copies that end later are not simulated",
        "PIPELINE": "pipelines wait, and the oracle knows only waits that the program writes",
        "UNTOLD": "nothing is known of the value",
        "SMALL_FLOAT": "the oracle has no half precision",
        "ADDRESS": "spaces have no addresses",
        "RANDOM": "generators have no states",
        "TEXTURE": "the oracle has no textures",
        "SURFACE": "the oracle has no surfaces",
        "FRAGMENT": "which lane holds an element is not known",
    },
}
"""By interpreter: the kinds of device functions of which it gives none a meaning, and why."""

ROWS_MISSING: dict[str, dict[str, str]] = {
    "protocol": {
        "NUMBER .*": "to the handler of unknown functions: a function of its arguments",
        "VECTOR .*": "to the handler of unknown functions: a function of its arguments",
    },
    "lockstep": {
        r"NUMBER r?normf?": "norms of arrays are not simulated",
        r"NUMBER u?int2float|NUMBER float2u?int": "conversions whose rounding is not in the name",
        "NUMBER __hgrd_stated": "the front end makes a condition of it",
        "VECTOR .*": "functions of vectors are simulated where a header defines them",
        "SPECIFICATION __ptr_offset_bytes": "spaces have no addresses",
        r"ADDRESS (__is\w+|__cvta_\w*(constant|local)\w*|__nv_associate_\w+)": "no program has needed them",
    },
    "interleaving": {
        "NAMED_BARRIER (__barrier_sync_count|ptx.barrier.arrive)": "barriers of some of the block's threads are not"
        " simulated",
        r"SHUFFLE __shfl(_up|_down|_xor)?": "without a mask there is no saying which lanes take part",
        r"VOTE __(all|any|ballot|uni)": "without a mask there is no saying which lanes take part",
        r"NUMBER r?normf?": "norms of arrays are not simulated",
        r"NUMBER u?int2float|NUMBER float2u?int": "conversions whose rounding is not in the name",
        "NUMBER __hgrd_stated": "the front end makes a condition of it",
        "VECTOR .*": "the oracle makes vectors and no more",
        "SPECIFICATION .*": "a value that specifications alone have",
    },
}
"""By interpreter: patterns of `KIND name` of the other device functions that it gives no meaning, and why.

`KIND .*` is all others of a kind.
"""

GROUPS_MISSING: dict[str, dict[str, str]] = {
    "protocol": {},
    "lockstep": {
        "this_cluster|this_multi_grid|cluster_rank|cluster_index|dim_clusters|grid_rank|num_clusters|num_grids|dim_grid|query_shared_rank"
        "|map_shared_rank": "clusters and grids on several devices are not simulated",
        "barrier_arrive|barrier_wait": "a barrier has one part",
        r"memcpy_async|wait|__wait_prior": "copies that end later are not simulated",
        "match_all": "no program has needed it",
    },
    "interleaving": {
        "this_cluster|this_multi_grid": "clusters and grids on several devices are not simulated",
        "coalesced_threads|binary_partition|labeled_partition": "the oracle has no groups of some lanes of a warp",
        r"(block|cluster|grid)_rank|num_(blocks|clusters|grids)|(thread|block|group|cluster)_index|group_(dim|size)|dim_\w+"
        r"|meta_group_size|is_valid|query_shared_rank|map_shared_rank|synchronize|shfl(_\w+)?|any|all|ballot"
        r"|match_any|match_all|reduce|(in|ex)clusive_scan|__leads|__of_leader": "the oracle has what tests need",
        "barrier_arrive|barrier_wait": "a barrier has one part",
        r"memcpy_async|wait|__wait_prior": "the oracle has no copies of bytes",
    },
}
"""By interpreter: patterns of names of functions of cooperative groups that it gives no meaning, and why."""
