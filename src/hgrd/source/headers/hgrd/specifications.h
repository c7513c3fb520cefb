// Specifications in the source that GPUVerify and Faial understand; they are facts for us.
#pragma once
#define __HGRD_SPEC(...) extern "C" __HGRD_BOTH __VA_ARGS__;
__HGRD_SPEC(void __requires(bool))
__HGRD_SPEC(void __ensures(bool))
__HGRD_SPEC(void __assume(bool))
__HGRD_SPEC(void __assert(bool))
__HGRD_SPEC(void __global_assert(bool))
__HGRD_SPEC(void __invariant(bool))
__HGRD_SPEC(void __global_invariant(bool))
__HGRD_SPEC(void __candidate_invariant(bool))
__HGRD_SPEC(void __candidate_global_invariant(bool))
__HGRD_SPEC(void __function_wide_invariant(bool))
__HGRD_SPEC(void __function_wide_candidate_invariant(bool))
__HGRD_SPEC(void __global_requires(bool))
__HGRD_SPEC(void __global_ensures(bool))
__HGRD_SPEC(void __non_temporal_loads_begin())
__HGRD_SPEC(void __non_temporal_loads_end())
__HGRD_SPEC(bool __at_most_one(bool))
__HGRD_SPEC(bool __exclusive(bool))
__HGRD_SPEC(bool __enabled())
__HGRD_SPEC(bool __implies(bool, bool))
__HGRD_SPEC(bool __uniform_bool(bool))
__HGRD_SPEC(int __uniform_int(int))
__HGRD_SPEC(bool __distinct_bool(bool))
__HGRD_SPEC(int __distinct_int(int))
__HGRD_SPEC(bool __other_bool(bool))
__HGRD_SPEC(int __other_int(int))
__HGRD_SPEC(long long __other_int64(long long))
__HGRD_SPEC(size_t __other_ptr_base(const void*))
__HGRD_SPEC(bool __is_pow2(unsigned))
__HGRD_SPEC(bool __no_wrap_add(unsigned, unsigned))
__HGRD_SPEC(unsigned __mod_pow2(unsigned, unsigned))
__HGRD_SPEC(unsigned __add_noovfl(unsigned, unsigned))
__HGRD_SPEC(unsigned __add_noovfl_unsigned(unsigned, unsigned))
__HGRD_SPEC(int __add_noovfl_signed(int, int))
__HGRD_SPEC(int __return_val_int())
__HGRD_SPEC(bool __return_val_bool())
__HGRD_SPEC(long long __return_val_int64())
__HGRD_SPEC(void* __return_val_ptr())
__HGRD_SPEC(int __old_int(int))
__HGRD_SPEC(bool __old_bool(bool))
__HGRD_SPEC(void __barrier_invariant(bool, ...))
#undef __HGRD_SPEC
template <class T> __HGRD_BOTH bool __read(const T*);
template <class T> __HGRD_BOTH bool __write(const T*);
template <class T> __HGRD_BOTH bool __read_implies(const T*, bool);
template <class T> __HGRD_BOTH bool __write_implies(const T*, bool);
template <class T> __HGRD_BOTH bool __no_read(const T*);
template <class T> __HGRD_BOTH bool __no_write(const T*);
template <class T> __HGRD_BOTH size_t __read_offset_bytes(const T*);
template <class T> __HGRD_BOTH size_t __write_offset_bytes(const T*);
template <class T> __HGRD_BOTH size_t __ptr_offset_bytes(const T*);
template <class T> __HGRD_BOTH size_t __ptr_base(const T*);
template <class T> __HGRD_BOTH void __requires_fresh_array(const T*);
template <class T> __HGRD_BOTH void __requires_disjoint_arrays(const T*, ...);
template <class T> __HGRD_BOTH T __return_val();
#define __return_val_funptr(...) __return_val<__VA_ARGS__>()
#define __HGRD_AXIOM(N, ...) static __HGRD_DEVICE bool __hgrd_axiom_##N() { return __VA_ARGS__; }
#define __HGRD_NUMBERED_AXIOM(N, ...) __HGRD_AXIOM(N, __VA_ARGS__)
#define __axiom(...) __HGRD_NUMBERED_AXIOM(__COUNTER__, __VA_ARGS__)
#define __thread_id_is(...) true
