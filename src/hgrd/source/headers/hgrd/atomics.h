// Atomic functions.  Templates, since users may define the overloads that old devices lack.
#pragma once
template <class T> struct __hgrd_identity { typedef T type; };

#define __HGRD_ATOMIC_AT(NAME) \
    template <class T> __HGRD_INTRINSIC T NAME(T* address, typename __hgrd_identity<T>::type value); \
    template <class T> __HGRD_INTRINSIC T NAME(volatile T* address, typename __hgrd_identity<T>::type value);
#define __HGRD_ATOMIC(NAME) __HGRD_ATOMIC_AT(NAME) __HGRD_ATOMIC_AT(NAME##_block) __HGRD_ATOMIC_AT(NAME##_system)
__HGRD_ATOMIC(atomicAdd)
__HGRD_ATOMIC(atomicSub)
__HGRD_ATOMIC(atomicExch)
__HGRD_ATOMIC(atomicMin)
__HGRD_ATOMIC(atomicMax)
__HGRD_ATOMIC(atomicInc)
__HGRD_ATOMIC(atomicDec)
__HGRD_ATOMIC(atomicAnd)
__HGRD_ATOMIC(atomicOr)
__HGRD_ATOMIC(atomicXor)
#undef __HGRD_ATOMIC
#undef __HGRD_ATOMIC_AT

#define __HGRD_ATOMIC_CAS(NAME) \
    template <class T> \
    __HGRD_INTRINSIC T NAME(T* address, typename __hgrd_identity<T>::type compare, \
                         typename __hgrd_identity<T>::type value); \
    template <class T> \
    __HGRD_INTRINSIC T NAME(volatile T* address, typename __hgrd_identity<T>::type compare, \
                         typename __hgrd_identity<T>::type value);
__HGRD_ATOMIC_CAS(atomicCAS)
__HGRD_ATOMIC_CAS(atomicCAS_block)
__HGRD_ATOMIC_CAS(atomicCAS_system)
#undef __HGRD_ATOMIC_CAS

enum __hgrd_order { __NV_ATOMIC_RELAXED, __NV_ATOMIC_CONSUME, __NV_ATOMIC_ACQUIRE, __NV_ATOMIC_RELEASE, __NV_ATOMIC_ACQ_REL,
       __NV_ATOMIC_SEQ_CST };
enum __hgrd_scope { __NV_THREAD_SCOPE_THREAD, __NV_THREAD_SCOPE_BLOCK, __NV_THREAD_SCOPE_CLUSTER, __NV_THREAD_SCOPE_DEVICE,
       __NV_THREAD_SCOPE_SYSTEM };
template <class T> __HGRD_INTRINSIC T __nv_atomic_load_n(const T* address, int order, int scope = __NV_THREAD_SCOPE_SYSTEM);
template <class T>
__HGRD_INTRINSIC void __nv_atomic_store_n(T* address, typename __hgrd_identity<T>::type value, int order,
                                       int scope = __NV_THREAD_SCOPE_SYSTEM);
template <class T>
__HGRD_INTRINSIC T __nv_atomic_exchange_n(T* address, typename __hgrd_identity<T>::type value, int order,
                                       int scope = __NV_THREAD_SCOPE_SYSTEM);
template <class T> __HGRD_INTRINSIC void __nv_atomic_load(const T* address, T* result, int order, int scope = __NV_THREAD_SCOPE_SYSTEM);
template <class T> __HGRD_INTRINSIC void __nv_atomic_store(T* address, T* value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM);
template <class T>
__HGRD_INTRINSIC void __nv_atomic_exchange(T* address, T* value, T* result, int order, int scope = __NV_THREAD_SCOPE_SYSTEM);
template <class T>
__HGRD_INTRINSIC bool __nv_atomic_compare_exchange(T* address, T* expected, T* value, bool weak, int success, int failure,
                                                int scope = __NV_THREAD_SCOPE_SYSTEM);
template <class T>
__HGRD_INTRINSIC bool __nv_atomic_compare_exchange_n(T* address, T* expected, typename __hgrd_identity<T>::type value,
                                                  bool weak, int success, int failure,
                                                  int scope = __NV_THREAD_SCOPE_SYSTEM);
#define __HGRD_NV_FETCH(NAME) \
    template <class T> \
    __HGRD_INTRINSIC T __nv_atomic_fetch_##NAME(T* address, typename __hgrd_identity<T>::type value, int order, \
                                             int scope = __NV_THREAD_SCOPE_SYSTEM); \
    template <class T> \
    __HGRD_INTRINSIC void __nv_atomic_##NAME(T* address, typename __hgrd_identity<T>::type value, int order, \
                                          int scope = __NV_THREAD_SCOPE_SYSTEM);
__HGRD_NV_FETCH(add)
__HGRD_NV_FETCH(sub)
__HGRD_NV_FETCH(min)
__HGRD_NV_FETCH(max)
__HGRD_NV_FETCH(and)
__HGRD_NV_FETCH(or)
__HGRD_NV_FETCH(xor)
#undef __HGRD_NV_FETCH
extern __HGRD_INTRINSIC void __nv_atomic_signal_fence(int order);
extern __HGRD_INTRINSIC void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM);
