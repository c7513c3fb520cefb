// Loads and stores with a cache operator, and questions about addresses.
#pragma once
#define __HGRD_LOAD(NAME) template <class T> __HGRD_INTRINSIC T NAME(const T* address);
__HGRD_LOAD(__ldg)
__HGRD_LOAD(__ldca)
__HGRD_LOAD(__ldcg)
__HGRD_LOAD(__ldcs)
__HGRD_LOAD(__ldlu)
__HGRD_LOAD(__ldcv)
#undef __HGRD_LOAD
#define __HGRD_STORE(NAME) template <class T> __HGRD_INTRINSIC void NAME(T* address, typename __hgrd_identity<T>::type value);
__HGRD_STORE(__stwb)
__HGRD_STORE(__stcg)
__HGRD_STORE(__stcs)
__HGRD_STORE(__stwt)
#undef __HGRD_STORE

extern __HGRD_INTRINSIC unsigned __isGlobal(const void* address);
extern __HGRD_INTRINSIC unsigned __isShared(const void* address);
extern __HGRD_INTRINSIC unsigned __isConstant(const void* address);
extern __HGRD_INTRINSIC unsigned __isLocal(const void* address);
extern __HGRD_INTRINSIC unsigned __isGridConstant(const void* address);
extern __HGRD_INTRINSIC size_t __cvta_generic_to_global(const void* address);
extern __HGRD_INTRINSIC size_t __cvta_generic_to_shared(const void* address);
extern __HGRD_INTRINSIC size_t __cvta_generic_to_constant(const void* address);
extern __HGRD_INTRINSIC size_t __cvta_generic_to_local(const void* address);
extern __HGRD_INTRINSIC void* __cvta_global_to_generic(size_t address);
extern __HGRD_INTRINSIC void* __cvta_shared_to_generic(size_t address);
extern __HGRD_INTRINSIC void* __cvta_constant_to_generic(size_t address);
extern __HGRD_INTRINSIC void* __cvta_local_to_generic(size_t address);
template <class T> __HGRD_INTRINSIC T* __nv_associate_access_property(T* address, unsigned long long property);
extern __HGRD_INTRINSIC void* __nv_ptx_builtin_ocg_memcpy(void*, const void*, size_t);
