// assert is a fact about the program, also under NDEBUG: it becomes a call that the analysis knows.  What its condition
// does besides, it does not do under NDEBUG.
// No include guard: <assert.h> may be included again after NDEBUG has changed.
#ifdef __cplusplus
#if defined(__HIP__) || defined(__CUDACC__)
extern "C" __attribute__((host)) __attribute__((device)) void __hgrd_assert(bool condition) noexcept;
extern "C" __attribute__((host)) __attribute__((device)) void __hgrd_stated(bool condition) noexcept;
#else
extern "C" void __hgrd_assert(bool condition) noexcept;
extern "C" void __hgrd_stated(bool condition) noexcept;
#endif
#undef assert
#ifdef NDEBUG
#define assert(...) (__hgrd_stated(static_cast<bool>(__VA_ARGS__)))
#else
#define assert(...) (__hgrd_assert(static_cast<bool>(__VA_ARGS__)))
#endif
#else
extern void __hgrd_assert(_Bool condition);
extern void __hgrd_stated(_Bool condition);
#undef assert
#ifdef NDEBUG
#define assert(...) (__hgrd_stated((_Bool)(__VA_ARGS__)))
#else
#define assert(...) (__hgrd_assert((_Bool)(__VA_ARGS__)))
#endif
#undef static_assert
#define static_assert _Static_assert
#endif
