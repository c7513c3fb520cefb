"""Headers that a file needs but does not include, since nvcc and libstdc++ bring them along with others."""

from __future__ import annotations

import re

_STANDARD = {
    "algorithm": "sort stable_sort nth_element partial_sort max_element min_element minmax_element max min minmax swap "
    "copy copy_n copy_if fill fill_n generate generate_n transform for_each find find_if count_if reverse shuffle "
    "random_shuffle unique remove_if remove lower_bound upper_bound binary_search all_of any_of none_of equal rotate "
    "clamp is_sorted iter_swap partition merge replace set_difference",
    "array": "array",
    "atomic": "atomic memory_order memory_order_relaxed atomic_flag",
    "bitset": "bitset",
    "chrono": "chrono",
    "cmath": "sqrt fabs pow sin cos tan exp log log2 log10 floor ceil round isnan isinf isfinite fmax fmin abs hypot",
    "complex": "complex",
    "condition_variable": "condition_variable",
    "cstddef": "byte nullptr_t max_align_t",
    "cstdint": "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t",
    "cstdio": "printf fprintf snprintf FILE fopen",
    "cstdlib": "malloc free atoi atof rand srand exit getenv div llabs",
    "cstring": "memcpy memset strcmp strlen strcpy memmove",
    "deque": "deque",
    "exception": "exception terminate exception_ptr",
    "fstream": "ifstream ofstream fstream",
    "functional": "function bind plus minus multiplies divides less greater hash ref cref equal_to mem_fn invoke",
    "future": "async future promise",
    "initializer_list": "initializer_list",
    "iomanip": "setw setprecision setfill put_time",
    "iostream": "cout cerr cin clog endl",
    "iterator": "back_inserter istream_iterator ostream_iterator iterator_traits distance advance next prev "
    "istreambuf_iterator make_move_iterator inserter",
    "limits": "numeric_limits",
    "list": "list",
    "map": "map multimap",
    "memory": "unique_ptr shared_ptr make_unique make_shared weak_ptr allocator default_delete addressof",
    "mutex": "mutex lock_guard unique_lock scoped_lock once_flag call_once",
    "numeric": "accumulate iota inner_product partial_sum reduce gcd lcm transform_reduce exclusive_scan",
    "optional": "optional nullopt",
    "ostream": "ostream flush",
    "queue": "queue priority_queue",
    "random": "mt19937 mt19937_64 random_device uniform_int_distribution uniform_real_distribution normal_distribution "
    "default_random_engine bernoulli_distribution discrete_distribution minstd_rand",
    "ratio": "ratio milli micro nano",
    "set": "set multiset",
    "sstream": "stringstream ostringstream istringstream",
    "stack": "stack",
    "stdexcept": "runtime_error invalid_argument out_of_range logic_error domain_error overflow_error length_error",
    "string": "string to_string stoi stof stod stol stoul stoull stoll getline wstring",
    "string_view": "string_view",
    "system_error": "system_error error_code",
    "thread": "thread this_thread",
    "tuple": "tuple make_tuple tie get forward_as_tuple tuple_size apply",
    "type_traits": "aligned_storage enable_if enable_if_t is_same is_same_v conditional conditional_t "
    "is_floating_point is_integral true_type false_type decay remove_reference remove_const is_arithmetic void_t "
    "integral_constant make_unsigned is_convertible remove_cv result_of underlying_type is_base_of is_pointer is_void "
    "is_signed is_unsigned make_signed is_trivially_copyable remove_pointer common_type invoke_result_t",
    "typeinfo": "type_info bad_cast",
    "unordered_map": "unordered_map unordered_multimap",
    "unordered_set": "unordered_set",
    "utility": "pair make_pair move forward exchange declval index_sequence make_index_sequence",
    "valarray": "valarray",
    "variant": "variant visit",
    "vector": "vector",
}
_C = {
    "sys/time.h": "gettimeofday timeval timezone",
    "sys/types.h": "uint ushort ulong pid_t ssize_t u_int32_t u_int64_t u_int8_t off_t",
    "sys/stat.h": "mkdir stat fstat",
    "sys/resource.h": "getrusage rusage",
    "unistd.h": "usleep sleep getpid sysconf isatty getcwd gethostname getpagesize readlink unlink lseek",
    "getopt.h": "getopt getopt_long optarg optind",
    "malloc.h": "memalign malloc_usable_size",
    "strings.h": "strcasecmp strncasecmp bzero bcopy",
    "stdio.h": "printf fprintf sprintf FILE",
    "stdlib.h": "atoi atof malloc calloc free exit abort rand srand",
    "string.h": "memset memcpy strcmp strlen strcpy",
    "ctype.h": "isdigit isspace isalpha isalnum toupper tolower isupper islower isprint",
    "errno.h": "errno ENOENT EINVAL",
    "float.h": "FLT_MAX FLT_MIN FLT_EPSILON DBL_MAX DBL_MIN DBL_EPSILON",
    "inttypes.h": "PRIu64 PRId64 PRIx64 PRIu32 PRId32",
    "stdarg.h": "va_list va_start va_arg",
    "pthread.h": "pthread_t pthread_create pthread_mutex_t pthread_barrier_t",
    "sched.h": "sched_yield cpu_set_t CPU_SET",
    "signal.h": "sigaction SIGINT SIGSEGV",
    "fcntl.h": "O_RDONLY O_CREAT O_RDWR",
    "curand_kernel.h": "curandState curandState_t curandStatePhilox4_32_10_t curandStateMtgp32_t "
    "curandStateMtgp32 curandStateMRG32k3a_t curandStateSobol32_t curandStateSobol64_t curand_init curand_uniform",
    "math_constants.h": "CUDART_PI_F CUDART_PI CUDART_INF_F CUDART_INF CUDART_NAN_F CUDART_NAN",
    "time.h": "clock_gettime timespec nanosleep CLOCK_MONOTONIC",
}
_IN_STD = {name: header for header, names in _STANDARD.items() for name in names.split()}
_GLOBAL = {name: header for header, names in _C.items() for name in names.split()}
_QUALIFIED = re.compile(rb"\bstd\s*::\s*(\w+)")
# After `using namespace std`, only names that libstdc++ declares in all of its headers: more would be guessing.
_BARE = """
    min max swap copy fill equal move pair make_pair string to_string stoi stof stod
    distance advance exception runtime_error invalid_argument out_of_range numeric_limits
    allocator cout cerr endl ostream istream setw setprecision vector unique_ptr shared_ptr
    sqrt pow fabs exp log sin cos abs floor ceil round malloc free memcpy memset
    strcmp strlen printf exit ifstream ofstream stringstream accumulate sort
"""
_USING = re.compile(rb"\busing\s+namespace\s+std\b")
_WORD = re.compile(rb"(?<![\w.>:])([A-Za-z_]\w*)")


def implied_headers(text: bytes, language: str) -> tuple[str, ...]:
    """The standard headers that declare the names used in `text`, sorted."""
    words = {found.decode() for found in _WORD.findall(text)}
    headers = {_GLOBAL[name] for name in words & _GLOBAL.keys()}
    if language != "c":
        names = {found.decode() for found in _QUALIFIED.findall(text)}
        if _USING.search(text):
            names |= words.intersection(_BARE.split())
        headers |= {_IN_STD[name] for name in names & _IN_STD.keys()}
    return tuple(sorted(headers))
