// CUB: what reads and writes the program's memory, item by item, and the layouts of shared memory.
#include "../hgrd/cub.h"
#if !defined(__HGRD_PRECOMPILING) && !defined(__HGRD_CUB_ITEMS)
#define __HGRD_CUB_ITEMS 1
namespace cub {
enum BlockLoadAlgorithm { BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE,
                          BLOCK_LOAD_WARP_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED };
enum BlockStoreAlgorithm { BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE,
                           BLOCK_STORE_WARP_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED };
enum WarpLoadAlgorithm { WARP_LOAD_DIRECT, WARP_LOAD_STRIPED, WARP_LOAD_VECTORIZE, WARP_LOAD_TRANSPOSE };
enum WarpStoreAlgorithm { WARP_STORE_DIRECT, WARP_STORE_STRIPED, WARP_STORE_VECTORIZE, WARP_STORE_TRANSPOSE };
__HGRD_DEVICE inline int RowMajorTid(int x, int y, int z) {
    return y == 1 && z == 1 ? threadIdx.x : (threadIdx.z * y + threadIdx.y) * x + threadIdx.x;
}
template <int Width, int Arch = 0> __HGRD_DEVICE inline unsigned WarpMask(unsigned warp) {
    return Width == 32 ? 0xffffffffu : ((1u << (Width & 31)) - 1) << warp * Width;
}
template <class T> struct Uninitialized {
    alignas(T) char storage[sizeof(T)];
    __HGRD_BOTH T& Alias() { return reinterpret_cast<T&>(*this); }
};

// Items are exchanged within the storage of a load or store; without storage, in one that all share.
#define __HGRD_REARRANGING(NAME) \
    typedef typename Exchange::TempStorage TempStorage; \
    TempStorage* storage; \
    __HGRD_DEVICE NAME() : storage(nullptr) {} \
    __HGRD_DEVICE NAME(TempStorage& given) : storage(&given) {}
#define __HGRD_REARRANGED(METHOD, ITEMS) \
    if (storage == nullptr) Exchange().METHOD(ITEMS); \
    else Exchange(*storage).METHOD(ITEMS);
#define __HGRD_EACH(INDEX, STATEMENT) \
    for (int i = 0; i < N; ++i) { \
        const int index = INDEX; \
        STATEMENT; \
    }
#define __HGRD_WITHIN(STATEMENT) if (index < valid) { STATEMENT; }
#define __HGRD_WARP_STRIPED(THREAD) THREAD / 32 * 32 * N + i * 32 + THREAD % 32
// `CHOSEN`: the kind of an algorithm, 0 for items in a row, 1 for a stride of all threads, 2 for one of a warp.
#define __HGRD_LOADS(PARAMETERS, STATEMENT) \
    template <class I> __HGRD_DEVICE void Load PARAMETERS { \
        const int thread = number(); \
        if constexpr (kind == 0) { \
            __HGRD_EACH(thread * N + i, STATEMENT) \
        } else if constexpr (kind == 1) { \
            __HGRD_EACH(i * threads + thread, STATEMENT) \
            if constexpr (transposes) { __HGRD_REARRANGED(StripedToBlocked, items) } \
        } else { \
            __HGRD_EACH(__HGRD_WARP_STRIPED(thread), STATEMENT) \
            __HGRD_REARRANGED(WarpStripedToBlocked, items) \
        } \
    }
#define __HGRD_STORES(PARAMETERS, STATEMENT) \
    template <class I> __HGRD_DEVICE void Store PARAMETERS { \
        const int thread = number(); \
        T items[N]; \
        for (int i = 0; i < N; ++i) items[i] = given[i]; \
        if constexpr (kind == 0) { \
            __HGRD_EACH(thread * N + i, STATEMENT) \
        } else if constexpr (kind == 1) { \
            if constexpr (transposes) { __HGRD_REARRANGED(BlockedToStriped, items) } \
            __HGRD_EACH(i * threads + thread, STATEMENT) \
        } else { \
            __HGRD_REARRANGED(BlockedToWarpStriped, items) \
            __HGRD_EACH(__HGRD_WARP_STRIPED(thread), STATEMENT) \
        } \
    }
#define __HGRD_ALL_LOADS \
    __HGRD_LOADS((I from, T (&items)[N]), items[i] = from[index]) \
    __HGRD_LOADS((I from, T (&items)[N], int valid), __HGRD_WITHIN(items[i] = from[index])) \
    template <class I, class V> __HGRD_DEVICE void Load(I from, T (&items)[N], int valid, V otherwise) { \
        for (int i = 0; i < N; ++i) items[i] = otherwise; \
        Load(from, items, valid); \
    }
#define __HGRD_ALL_STORES \
    __HGRD_STORES((I to, T (&given)[N]), to[index] = items[i]) \
    __HGRD_STORES((I to, T (&given)[N], int valid), __HGRD_WITHIN(to[index] = items[i]))
#define __HGRD_OF_BLOCK(NAME, PREFIX) \
    typedef BlockExchange<T, X, N, false, Y, Z> Exchange; \
    __HGRD_REARRANGING(NAME) \
    static constexpr int threads = X * Y * Z; \
    static constexpr bool transposes = A == PREFIX##TRANSPOSE; \
    static constexpr int kind = A == PREFIX##DIRECT || A == PREFIX##VECTORIZE    ? 0 \
                                : A == PREFIX##STRIPED || A == PREFIX##TRANSPOSE ? 1 \
                                                                                 : 2; \
    __HGRD_DEVICE static int number() { return RowMajorTid(X, Y, Z); }
// The exchange of a warp has no layout of a warp's own: `kind` is 0 or 1.
#define __HGRD_OF_WARP(NAME, PREFIX) \
    typedef WarpExchange<T, N, Width> Exchange; \
    __HGRD_REARRANGING(NAME) \
    static constexpr int threads = Width; \
    static constexpr bool transposes = A == PREFIX##TRANSPOSE; \
    static constexpr int kind = A == PREFIX##DIRECT || A == PREFIX##VECTORIZE ? 0 : 1; \
    __HGRD_DEVICE static int number() { return RowMajorTid(blockDim.x, blockDim.y, blockDim.z) % Width; }
template <class T, int X, int N, BlockLoadAlgorithm A = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1, int Arch = 0>
struct BlockLoad { __HGRD_OF_BLOCK(BlockLoad, BLOCK_LOAD_) __HGRD_ALL_LOADS };
template <class T, int X, int N, BlockStoreAlgorithm A = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1, int Arch = 0>
struct BlockStore { __HGRD_OF_BLOCK(BlockStore, BLOCK_STORE_) __HGRD_ALL_STORES };
template <class T, int N, WarpLoadAlgorithm A = WARP_LOAD_DIRECT, int Width = 32, int Arch = 0>
struct WarpLoad { __HGRD_OF_WARP(WarpLoad, WARP_LOAD_) __HGRD_ALL_LOADS };
template <class T, int N, WarpStoreAlgorithm A = WARP_STORE_DIRECT, int Width = 32, int Arch = 0>
struct WarpStore { __HGRD_OF_WARP(WarpStore, WARP_STORE_) __HGRD_ALL_STORES };

// Items of a thread by its number, without storage.  `X`: how many threads there are.
#define __HGRD_DIRECT(NAME, HEAD, INDEX) \
    template <HEAD class T, int N, class I> \
    __HGRD_DEVICE void LoadDirect##NAME(int thread, I from, T (&items)[N]) { \
        __HGRD_EACH(INDEX, items[i] = from[index]) \
    } \
    template <HEAD class T, int N, class I> \
    __HGRD_DEVICE void LoadDirect##NAME(int thread, I from, T (&items)[N], int valid) { \
        __HGRD_EACH(INDEX, __HGRD_WITHIN(items[i] = from[index])) \
    } \
    template <HEAD class T, int N, class I, class V> \
    __HGRD_DEVICE void LoadDirect##NAME(int thread, I from, T (&items)[N], int valid, V otherwise) { \
        __HGRD_EACH(INDEX, items[i] = otherwise; __HGRD_WITHIN(items[i] = from[index])) \
    } \
    template <HEAD class T, int N, class I> \
    __HGRD_DEVICE void StoreDirect##NAME(int thread, I to, T (&items)[N]) { \
        __HGRD_EACH(INDEX, to[index] = items[i]) \
    } \
    template <HEAD class T, int N, class I> \
    __HGRD_DEVICE void StoreDirect##NAME(int thread, I to, T (&items)[N], int valid) { \
        __HGRD_EACH(INDEX, __HGRD_WITHIN(to[index] = items[i])) \
    }
#define __HGRD_NOTHING
#define __HGRD_THREADS int X,
__HGRD_DIRECT(Blocked, __HGRD_NOTHING, thread * N + i)
__HGRD_DIRECT(BlockedVectorized, __HGRD_NOTHING, thread * N + i)
__HGRD_DIRECT(WarpStriped, __HGRD_NOTHING, __HGRD_WARP_STRIPED(thread))
__HGRD_DIRECT(Striped, __HGRD_THREADS, i * X + thread)
#undef __HGRD_THREADS
#undef __HGRD_NOTHING
#undef __HGRD_DIRECT
#undef __HGRD_OF_WARP
#undef __HGRD_OF_BLOCK
#undef __HGRD_ALL_STORES
#undef __HGRD_ALL_LOADS
#undef __HGRD_STORES
#undef __HGRD_LOADS
#undef __HGRD_WARP_STRIPED
#undef __HGRD_WITHIN
#undef __HGRD_EACH
#undef __HGRD_REARRANGED
#undef __HGRD_REARRANGING

// The partial results of a block's threads, so that the threads of a warp can each go over a segment of them.
template <class T, int Threads, int Arch = 0> struct BlockRakingLayout {
    static constexpr int SHARED_ELEMENTS = Threads;
    static constexpr int MAX_RAKING_THREADS = Threads < 32 ? Threads : 32;
    static constexpr int SEGMENT_LENGTH = (Threads + MAX_RAKING_THREADS - 1) / MAX_RAKING_THREADS;
    static constexpr int RAKING_THREADS = (Threads + SEGMENT_LENGTH - 1) / SEGMENT_LENGTH;
    static constexpr int USE_SEGMENT_PADDING = SEGMENT_LENGTH % 2 == 0 && SEGMENT_LENGTH > 2;
    static constexpr int GRID_ELEMENTS = RAKING_THREADS * (SEGMENT_LENGTH + USE_SEGMENT_PADDING);
    static constexpr bool UNGUARDED = Threads % RAKING_THREADS == 0;
    struct _TempStorage { T buff[GRID_ELEMENTS]; };
    struct TempStorage : Uninitialized<_TempStorage> {};
    __HGRD_DEVICE static T* PlacementPtr(TempStorage& storage, unsigned thread) {
        unsigned at = USE_SEGMENT_PADDING ? thread + thread / SEGMENT_LENGTH : thread;
        return storage.Alias().buff + at;
    }
    __HGRD_DEVICE static T* RakingPtr(TempStorage& storage, unsigned thread) {
        return storage.Alias().buff + thread * (SEGMENT_LENGTH + USE_SEGMENT_PADDING);
    }
};
}
#endif
