// CUB: the primitives of blocks and warps, and what the host calls.
#pragma once
#include "standard.h"
#include <iterator>
#define CUB_VERSION 200400
#define CUB_MIN(a, b) (((a) > (b)) ? (b) : (a))
#define CUB_MAX(a, b) (((a) > (b)) ? (a) : (b))
#define CUB_PTX_ARCH 800
#define CUB_WARP_THREADS(ARCH) 32
#define CUB_LOG_WARP_THREADS(ARCH) 5
#define CUB_PTX_WARP_THREADS 32
#define CUB_PTX_LOG_WARP_THREADS 5
#define CUB_NS_PREFIX
#define CUB_NS_POSTFIX
#define CUB_RUNTIME_FUNCTION __HGRD_BOTH
#define CUB_QUOTIENT_CEILING(a, b) (((a) + (b) - 1) / (b))
#define CubDebug(e) (e)
#define CubDebugExit(e) (e)
namespace cub {
#define __HGRD_D __HGRD_INTRINSIC
enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum WarpExchangeAlgorithm { WARP_EXCHANGE_SMEM, WARP_EXCHANGE_SHUFFLE };
enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };
enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };
struct NullType {};

#define __HGRD_FUNCTOR(NAME) \
    struct NAME { template <class A, class B> __HGRD_BOTH A operator()(const A& a, const B& b) const; };
__HGRD_FUNCTOR(Sum) __HGRD_FUNCTOR(Difference) __HGRD_FUNCTOR(Division) __HGRD_FUNCTOR(Max) __HGRD_FUNCTOR(Min)
__HGRD_FUNCTOR(ArgMax) __HGRD_FUNCTOR(ArgMin)
#undef __HGRD_FUNCTOR
struct Equality { template <class A, class B> __HGRD_BOTH bool operator()(const A& a, const B& b) const; };
struct Inequality { template <class A, class B> __HGRD_BOTH bool operator()(const A& a, const B& b) const; };
template <class K, class V> struct KeyValuePair {
    typedef K Key;
    typedef V Value;
    K key;
    V value;
};
template <class T> struct Traits {
    typedef typename std::make_unsigned<std::conditional_t<
        sizeof(T) == 1, char, std::conditional_t<sizeof(T) == 2, short, std::conditional_t<sizeof(T) == 4, int, long long>>>>::type
        UnsignedBits;
    __HGRD_BOTH static T Max();
    __HGRD_BOTH static T Lowest();
    __HGRD_BOTH static UnsignedBits TwiddleIn(UnsignedBits key);
    __HGRD_BOTH static UnsignedBits TwiddleOut(UnsignedBits key);
};
template <class T> struct NumericTraits : Traits<T> {};
// Every primitive takes shared storage, or keeps its own.
#define __HGRD_PRIMITIVE(NAME) \
    struct TempStorage { int __bytes[64]; __HGRD_D TempStorage& Alias(); }; \
    __HGRD_D NAME(); \
    __HGRD_D NAME(TempStorage& storage); \
    __HGRD_D NAME(TempStorage& storage, int thread);
template <class T, int X, BlockReduceAlgorithm A = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1, int Arch = 0>
struct BlockReduce {
    __HGRD_PRIMITIVE(BlockReduce)
    template <class F> __HGRD_D T Reduce(T input, F function);
    template <int N, class F> __HGRD_D T Reduce(T (&input)[N], F function);
    template <class F> __HGRD_D T Reduce(T input, F function, int valid);
    __HGRD_D T Sum(T input);
    template <int N> __HGRD_D T Sum(T (&input)[N]);
    __HGRD_D T Sum(T input, int valid);
};
#define __HGRD_SCAN(KIND) \
    __HGRD_D void KIND##Sum(T input, T& output); \
    __HGRD_D void KIND##Sum(T input, T& output, T& total); \
    template <int N> __HGRD_D void KIND##Sum(T (&input)[N], T (&output)[N]); \
    template <int N> __HGRD_D void KIND##Sum(T (&input)[N], T (&output)[N], T& total); \
    template <class C> __HGRD_D void KIND##Sum(T input, T& output, C& callback); \
    template <int N, class C> __HGRD_D void KIND##Sum(T (&input)[N], T (&output)[N], C& callback); \
    template <class F> __HGRD_D void KIND##Scan(T input, T& output, F function); \
    template <class F> __HGRD_D void KIND##Scan(T input, T& output, F function, T& total); \
    template <class F> __HGRD_D void KIND##Scan(T input, T& output, T initial, F function); \
    template <class F> __HGRD_D void KIND##Scan(T input, T& output, T initial, F function, T& total); \
    template <int N, class F> __HGRD_D void KIND##Scan(T (&input)[N], T (&output)[N], F function); \
    template <int N, class F> __HGRD_D void KIND##Scan(T (&input)[N], T (&output)[N], F function, T& total); \
    template <int N, class F> __HGRD_D void KIND##Scan(T (&input)[N], T (&output)[N], T initial, F function); \
    template <int N, class F> __HGRD_D void KIND##Scan(T (&input)[N], T (&output)[N], T initial, F function, T& total); \
    template <class F, class C, class = decltype(__HGRD_VALUE(C&)(T()))> \
    __HGRD_D void KIND##Scan(T input, T& output, F function, C& callback); \
    template <int N, class F, class C, class = decltype(__HGRD_VALUE(C&)(T()))> \
    __HGRD_D void KIND##Scan(T (&input)[N], T (&output)[N], F function, C& callback);
#define __HGRD_VALUE(...) ::std::declval<__VA_ARGS__>()
template <class T, int X, BlockScanAlgorithm A = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int Arch = 0> struct BlockScan {
    __HGRD_PRIMITIVE(BlockScan)
    __HGRD_SCAN(Exclusive)
    __HGRD_SCAN(Inclusive)
};
template <class T, int Width = 32, int Arch = 0> struct WarpScan {
    __HGRD_PRIMITIVE(WarpScan)
    __HGRD_SCAN(Exclusive)
    __HGRD_SCAN(Inclusive)
    __HGRD_D void Sum(T input, T& inclusive, T& exclusive);
    template <class F> __HGRD_D void Scan(T input, T& inclusive, T& exclusive, F function);
    __HGRD_D T Broadcast(T input, unsigned lane);
};
#undef __HGRD_SCAN
template <class T, int Width = 32, int Arch = 0> struct WarpReduce {
    __HGRD_PRIMITIVE(WarpReduce)
    __HGRD_D T Sum(T input);
    __HGRD_D T Sum(T input, int valid);
    template <class F> __HGRD_D T Reduce(T input, F function);
    template <class F> __HGRD_D T Reduce(T input, F function, int valid);
    template <class G> __HGRD_D T HeadSegmentedSum(T input, G flag);
    template <class G> __HGRD_D T TailSegmentedSum(T input, G flag);
    template <class G, class F> __HGRD_D T HeadSegmentedReduce(T input, G flag, F function);
    template <class G, class F> __HGRD_D T TailSegmentedReduce(T input, G flag, F function);
};
#define __HGRD_EXCHANGE(NAME) \
    template <class O> __HGRD_D void NAME(T (&input)[N], O (&output)[N]); \
    __HGRD_D void NAME(T (&items)[N]);
template <class T, int X, int N, bool Timesliced = false, int Y = 1, int Z = 1, int Arch = 0> struct BlockExchange {
    __HGRD_PRIMITIVE(BlockExchange)
    __HGRD_EXCHANGE(StripedToBlocked)
    __HGRD_EXCHANGE(BlockedToStriped)
    __HGRD_EXCHANGE(WarpStripedToBlocked)
    __HGRD_EXCHANGE(BlockedToWarpStriped)
    template <class O, class R> __HGRD_D void ScatterToBlocked(T (&input)[N], O (&output)[N], R (&ranks)[N]);
    template <class O, class R> __HGRD_D void ScatterToStriped(T (&input)[N], O (&output)[N], R (&ranks)[N]);
    template <class R> __HGRD_D void ScatterToBlocked(T (&items)[N], R (&ranks)[N]);
    template <class R> __HGRD_D void ScatterToStriped(T (&items)[N], R (&ranks)[N]);
};
template <class T, int N, int Width = 32, int Arch = 0, WarpExchangeAlgorithm A = WARP_EXCHANGE_SMEM> struct WarpExchange {
    __HGRD_PRIMITIVE(WarpExchange)
    __HGRD_EXCHANGE(StripedToBlocked)
    __HGRD_EXCHANGE(BlockedToStriped)
    template <class R> __HGRD_D void ScatterToStriped(T (&items)[N], R (&ranks)[N]);
};
#undef __HGRD_EXCHANGE
template <class K, int X, int N, class V = NullType, int Bits = 4, bool Memoize = true,
          BlockScanAlgorithm A = BLOCK_SCAN_WARP_SCANS, cudaSharedMemConfig C = cudaSharedMemBankSizeFourByte, int Y = 1,
          int Z = 1, int Arch = 0>
struct BlockRadixSort {
    __HGRD_PRIMITIVE(BlockRadixSort)
    __HGRD_D void Sort(K (&keys)[N], int begin = 0, int end = sizeof(K) * 8);
    __HGRD_D void Sort(K (&keys)[N], V (&values)[N], int begin = 0, int end = sizeof(K) * 8);
    __HGRD_D void SortDescending(K (&keys)[N], int begin = 0, int end = sizeof(K) * 8);
    __HGRD_D void SortDescending(K (&keys)[N], V (&values)[N], int begin = 0, int end = sizeof(K) * 8);
    __HGRD_D void SortBlockedToStriped(K (&keys)[N], int begin = 0, int end = sizeof(K) * 8);
    __HGRD_D void SortBlockedToStriped(K (&keys)[N], V (&values)[N], int begin = 0, int end = sizeof(K) * 8);
    __HGRD_D void SortDescendingBlockedToStriped(K (&keys)[N], V (&values)[N], int begin = 0, int end = sizeof(K) * 8);
};
#define __HGRD_MERGE_SORT(NAME) \
    template <class F> __HGRD_D void NAME(K (&keys)[N], F less); \
    template <class F> __HGRD_D void NAME(K (&keys)[N], V (&values)[N], F less); \
    template <class F> __HGRD_D void NAME(K (&keys)[N], F less, int valid, K filler); \
    template <class F> __HGRD_D void NAME(K (&keys)[N], V (&values)[N], F less, int valid, K filler);
template <class K, int X, int N, class V = NullType, int Y = 1, int Z = 1> struct BlockMergeSort {
    __HGRD_PRIMITIVE(BlockMergeSort)
    __HGRD_MERGE_SORT(Sort)
    __HGRD_MERGE_SORT(StableSort)
};
template <class K, int N, int Width = 32, class V = NullType, int Arch = 0> struct WarpMergeSort {
    __HGRD_PRIMITIVE(WarpMergeSort)
    __HGRD_MERGE_SORT(Sort)
    __HGRD_MERGE_SORT(StableSort)
};
#undef __HGRD_MERGE_SORT
template <class T, int X, int N, int Bins, BlockHistogramAlgorithm A = BLOCK_HISTO_SORT, int Y = 1, int Z = 1, int Arch = 0>
struct BlockHistogram {
    __HGRD_PRIMITIVE(BlockHistogram)
    template <class C> __HGRD_D void InitHistogram(C (&bins)[Bins]);
    template <class C> __HGRD_D void Histogram(T (&items)[N], C (&bins)[Bins]);
    template <class C> __HGRD_D void Composite(T (&items)[N], C (&bins)[Bins]);
};
template <class T, int X, int Y = 1, int Z = 1, int Arch = 0> struct BlockDiscontinuity {
    __HGRD_PRIMITIVE(BlockDiscontinuity)
    template <int N, class G, class F> __HGRD_D void FlagHeads(G (&flags)[N], T (&items)[N], F function);
    template <int N, class G, class F> __HGRD_D void FlagHeads(G (&flags)[N], T (&items)[N], F function, T before);
    template <int N, class G, class F> __HGRD_D void FlagTails(G (&flags)[N], T (&items)[N], F function);
    template <int N, class G, class F> __HGRD_D void FlagTails(G (&flags)[N], T (&items)[N], F function, T after);
};
template <class T, int X, int Y = 1, int Z = 1, int Arch = 0> struct BlockAdjacentDifference {
    __HGRD_PRIMITIVE(BlockAdjacentDifference)
    template <int N, class O, class F> __HGRD_D void SubtractLeft(T (&input)[N], O (&output)[N], F function);
    template <int N, class O, class F> __HGRD_D void SubtractLeft(T (&input)[N], O (&output)[N], F function, T before);
    template <int N, class O, class F> __HGRD_D void SubtractRight(T (&input)[N], O (&output)[N], F function);
    template <int N, class O, class F> __HGRD_D void SubtractRight(T (&input)[N], O (&output)[N], F function, T after);
};
template <class T, int X, int Y = 1, int Z = 1, int Arch = 0> struct BlockShuffle {
    __HGRD_PRIMITIVE(BlockShuffle)
    __HGRD_D void Offset(T input, T& output, int distance = 1);
    __HGRD_D void Rotate(T input, T& output, unsigned distance = 1);
    template <int N> __HGRD_D void Up(T (&input)[N], T (&output)[N]);
    template <int N> __HGRD_D void Down(T (&input)[N], T (&output)[N]);
};
#undef __HGRD_PRIMITIVE

template <CacheLoadModifier M, class I> __HGRD_D typename std::iterator_traits<I>::value_type ThreadLoad(I from);
template <CacheStoreModifier M, class I, class T> __HGRD_D void ThreadStore(I to, T value);
template <class T> __HGRD_D T ShuffleUp(T input, int offset, int first, unsigned mask);
template <int Width, class T> __HGRD_D T ShuffleUp(T input, int offset, int first, unsigned mask);
template <int Width, class T> __HGRD_D T ShuffleDown(T input, int offset, int last, unsigned mask);
template <int Width, class T> __HGRD_D T ShuffleIndex(T input, int lane, unsigned mask);
__HGRD_D unsigned LaneId();
__HGRD_D unsigned WarpId();
__HGRD_D unsigned LaneMaskLt();
__HGRD_D unsigned LaneMaskLe();
__HGRD_D unsigned LaneMaskGt();
__HGRD_D unsigned LaneMaskGe();
__HGRD_D void CTA_SYNC();
__HGRD_D void WARP_SYNC(unsigned mask);
__HGRD_D unsigned BFE(unsigned source, unsigned start, unsigned length);
template <int A> struct Log2 { enum { VALUE = A <= 1 ? 0 : 1 + Log2<(A + 1) / 2>::VALUE }; };
template <> struct Log2<1> { enum { VALUE = 0 }; };
template <> struct Log2<0> { enum { VALUE = 0 }; };
template <int A> struct PowerOfTwo { enum { VALUE = (A & (A - 1)) == 0 }; };
template <class T, int N> struct GridEvenShare {};
template <class T> struct DoubleBuffer {
    T* d_buffers[2];
    int selector;
    __HGRD_BOTH DoubleBuffer();
    __HGRD_BOTH DoubleBuffer(T* current, T* alternate);
    __HGRD_BOTH T* Current();
    __HGRD_BOTH T* Alternate();
};
template <class T> struct __iterator {
    typedef T value_type;
    typedef T reference;
    typedef T* pointer;
    typedef ptrdiff_t difference_type;
    typedef std::random_access_iterator_tag iterator_category;
    __HGRD_BOTH T operator*() const;
    __HGRD_BOTH T operator[](ptrdiff_t n) const;
};
template <class T, class O = ptrdiff_t> struct CountingInputIterator : __iterator<T> {
    __HGRD_BOTH CountingInputIterator(T first);
    __HGRD_BOTH CountingInputIterator operator+(ptrdiff_t n) const;
};
template <class T, class O = ptrdiff_t> struct ConstantInputIterator : __iterator<T> { __HGRD_BOTH ConstantInputIterator(T value); };
template <class T, class F, class I, class O = ptrdiff_t> struct TransformInputIterator : __iterator<T> {
    __HGRD_BOTH TransformInputIterator(I iterator, F function);
    __HGRD_BOTH TransformInputIterator operator+(ptrdiff_t n) const;
};
template <class I, class O = ptrdiff_t, class T = typename std::iterator_traits<I>::value_type>
struct ArgIndexInputIterator : __iterator<KeyValuePair<O, T>> { __HGRD_BOTH ArgIndexInputIterator(I iterator); };
template <CacheLoadModifier M, class T, class O = ptrdiff_t> struct CacheModifiedInputIterator : __iterator<T> {
    __HGRD_BOTH CacheModifiedInputIterator(T* pointer);
};

// Algorithms for the whole device store through their arguments how much storage they need, and which buffer they leave
// the result in; without storage among the arguments, they make it themselves.
#define __HGRD_HOST(NAME) \
    template <class S, class... T> __HGRD_BOTH static cudaError_t NAME(S storage, size_t& size, T... arguments); \
    template <class... T> __HGRD_BOTH static cudaError_t NAME(T... arguments);
#define __HGRD_SORTING(NAME) __HGRD_HOST(NAME) \
    template <class S, class K, class... T> \
    __HGRD_BOTH static cudaError_t NAME(S storage, size_t& size, DoubleBuffer<K>& keys, T... arguments); \
    template <class S, class K, class V, class... T> \
    __HGRD_BOTH static cudaError_t NAME(S storage, size_t& size, DoubleBuffer<K>& keys, DoubleBuffer<V>& values, \
                                        T... arguments);
struct DeviceReduce { __HGRD_HOST(Sum) __HGRD_HOST(Min) __HGRD_HOST(Max) __HGRD_HOST(ArgMin) __HGRD_HOST(ArgMax)
                      __HGRD_HOST(Reduce) __HGRD_HOST(ReduceByKey) __HGRD_HOST(TransformReduce) };
struct DeviceSegmentedReduce { __HGRD_HOST(Sum) __HGRD_HOST(Min) __HGRD_HOST(Max) __HGRD_HOST(ArgMin)
                               __HGRD_HOST(ArgMax) __HGRD_HOST(Reduce) };
struct DeviceScan { __HGRD_HOST(ExclusiveSum) __HGRD_HOST(InclusiveSum) __HGRD_HOST(ExclusiveScan)
                    __HGRD_HOST(InclusiveScan) __HGRD_HOST(ExclusiveSumByKey) __HGRD_HOST(InclusiveSumByKey)
                    __HGRD_HOST(ExclusiveScanByKey) __HGRD_HOST(InclusiveScanByKey) };
struct DeviceSelect { __HGRD_HOST(Flagged) __HGRD_HOST(If) __HGRD_HOST(Unique) __HGRD_HOST(UniqueByKey) };
struct DevicePartition { __HGRD_HOST(Flagged) __HGRD_HOST(If) };
struct DeviceRadixSort { __HGRD_SORTING(SortKeys) __HGRD_SORTING(SortPairs) __HGRD_SORTING(SortKeysDescending)
                         __HGRD_SORTING(SortPairsDescending) };
struct DeviceSegmentedRadixSort { __HGRD_SORTING(SortKeys) __HGRD_SORTING(SortPairs) __HGRD_SORTING(SortKeysDescending)
                                  __HGRD_SORTING(SortPairsDescending) };
struct DeviceSegmentedSort { __HGRD_SORTING(SortKeys) __HGRD_SORTING(SortPairs) __HGRD_SORTING(StableSortKeys)
                             __HGRD_SORTING(SortKeysDescending) __HGRD_SORTING(SortPairsDescending)
                             __HGRD_SORTING(StableSortPairs) };
struct DeviceMergeSort { __HGRD_HOST(SortKeys) __HGRD_HOST(SortPairs) __HGRD_HOST(StableSortKeys)
                         __HGRD_HOST(StableSortPairs) __HGRD_HOST(SortKeysCopy)
                         __HGRD_HOST(SortPairsCopy) };
struct DeviceHistogram { __HGRD_HOST(HistogramEven) __HGRD_HOST(HistogramRange) __HGRD_HOST(MultiHistogramEven) };
struct DeviceRunLengthEncode { __HGRD_HOST(Encode) __HGRD_HOST(NonTrivialRuns) };
struct DeviceSpmv { __HGRD_HOST(CsrMV) };
struct DeviceFor { __HGRD_HOST(Bulk) __HGRD_HOST(ForEach) __HGRD_HOST(ForEachN) __HGRD_HOST(ForEachCopy)
                   __HGRD_HOST(ForEachCopyN) };
struct DeviceAdjacentDifference { __HGRD_HOST(SubtractLeftCopy) __HGRD_HOST(SubtractLeft)
                                  __HGRD_HOST(SubtractRightCopy) __HGRD_HOST(SubtractRight) };
#undef __HGRD_SORTING
#undef __HGRD_HOST
struct CachingDeviceAllocator {
    CachingDeviceAllocator(bool skip_cleanup = false, bool debug = false);
    CachingDeviceAllocator(unsigned growth, unsigned smallest, unsigned largest, size_t most, bool skip = false, bool debug = false);
    cudaError_t DeviceAllocate(void** pointer, size_t size, cudaStream_t stream = 0);
    cudaError_t DeviceFree(void* pointer);
};
#undef __HGRD_D
}
