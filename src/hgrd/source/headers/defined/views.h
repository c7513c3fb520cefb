// Views of memory that CUDA's own standard library has (libcu++: <cuda/std/span>, <cuda/std/mdspan>), by what their
// members do: they are read like the classes of a program.
#include "../hgrd/standard.h"
#if !defined(__HGRD_PRECOMPILING) && !defined(__HGRD_VIEWS)
#define __HGRD_VIEWS 1
#define __HGRD_V __HGRD_BOTH constexpr
namespace cuda {
namespace std {
inline constexpr size_t dynamic_extent = static_cast<size_t>(-1);

template <class T, size_t Extent = dynamic_extent> class span {
  public:
    using element_type = T;
    using value_type = ::std::remove_cv_t<T>;
    using size_type = size_t;
    using difference_type = ptrdiff_t;
    using pointer = T*;
    using const_pointer = const T*;
    using reference = T&;
    using const_reference = const T&;
    using iterator = T*;
    static constexpr size_t extent = Extent;
    T* __data;
    size_t __size;
    __HGRD_V span() noexcept : __data(nullptr), __size(0) {}
    __HGRD_V span(T* data, size_t size) : __data(data), __size(size) {}
    __HGRD_V span(T* first, T* last) : __data(first), __size(static_cast<size_t>(last - first)) {}
    template <size_t N> __HGRD_V span(T (&all)[N]) noexcept : __data(all), __size(N) {}
    template <class Range, class = decltype(::std::declval<Range&>().data()), class = decltype(::std::declval<Range&>().size())>
    __HGRD_V span(Range&& range) : __data(range.data()), __size(range.size()) {}
    __HGRD_V T* data() const noexcept { return __data; }
    __HGRD_V size_t size() const noexcept { return Extent == dynamic_extent ? __size : Extent; }
    __HGRD_V size_t size_bytes() const noexcept { return size() * sizeof(T); }
    __HGRD_V bool empty() const noexcept { return size() == 0; }
    __HGRD_V T* begin() const noexcept { return __data; }
    __HGRD_V T* end() const noexcept { return __data + size(); }
    __HGRD_V T& operator[](size_t i) const { return __data[i]; }
    __HGRD_V T& front() const { return __data[0]; }
    __HGRD_V T& back() const { return __data[size() - 1]; }
    __HGRD_V span<T> first(size_t count) const { return span<T>(__data, count); }
    __HGRD_V span<T> last(size_t count) const { return span<T>(__data + (size() - count), count); }
    __HGRD_V span<T> subspan(size_t offset, size_t count = dynamic_extent) const {
        return span<T>(__data + offset, count == dynamic_extent ? size() - offset : count);
    }
    template <size_t Count> __HGRD_V span<T, Count> first() const { return span<T, Count>(__data, Count); }
    template <size_t Count> __HGRD_V span<T, Count> last() const {
        return span<T, Count>(__data + (size() - Count), Count);
    }
    template <size_t Offset, size_t Count = dynamic_extent> __HGRD_V span<T, Count> subspan() const {
        return span<T, Count>(__data + Offset, Count == dynamic_extent ? size() - Offset : Count);
    }
};
template <class T> span(T*, size_t) -> span<T>;
template <class T, size_t N> span(T (&)[N]) -> span<T, N>;
template <class Range> span(Range&& range) -> span<::std::remove_pointer_t<decltype(range.data())>>;

template <size_t N, size_t First, size_t... Others> struct __nth : __nth<N - 1, Others...> {};
template <size_t First, size_t... Others> struct __nth<0, First, Others...> { static constexpr size_t value = First; };

template <class Index, size_t... Extents> class extents {
  public:
    using index_type = Index;
    using size_type = ::std::make_unsigned_t<Index>;
    using rank_type = size_t;
    Index __extent[sizeof...(Extents)];
    __HGRD_V extents() noexcept : __extent{(Extents == dynamic_extent ? Index(0) : Index(Extents))...} {}
    template <class... Sizes, ::std::enable_if_t<sizeof...(Sizes) == sizeof...(Extents), int> = 0>
    __HGRD_V explicit extents(Sizes... sizes) : __extent{static_cast<Index>(sizes)...} {}
    template <class... Sizes, ::std::enable_if_t<(sizeof...(Sizes) > 0 && sizeof...(Sizes) < sizeof...(Extents)), int> = 0>
    __HGRD_V explicit extents(Sizes... sizes)
        : extents(::std::make_index_sequence<sizeof...(Extents)>{}, static_cast<Index>(sizes)...) {}
    template <size_t... Rank, class... Sizes>
    __HGRD_V extents(::std::index_sequence<Rank...>, Sizes... sizes)
        : __extent{__size_of<__nth<Rank, Extents...>::value, __before(Rank)>(sizes...)...} {}
    static constexpr size_t __before(size_t r) {
        const bool dynamic[] = {Extents == dynamic_extent...};
        size_t count = 0;
        for (size_t k = 0; k < r; ++k) count += dynamic[k] ? 1 : 0;
        return count;
    }
    template <size_t Fixed, size_t Before, class First, class... Sizes>
    static __HGRD_V Index __size_of(First first, Sizes... sizes) {
        if constexpr (Fixed != dynamic_extent) return static_cast<Index>(Fixed);
        else if constexpr (Before == 0) return first;
        else return __size_of<Fixed, Before - 1>(sizes...);
    }
    static __HGRD_V size_t rank() noexcept { return sizeof(__extent) / sizeof(Index); }
    __HGRD_V Index extent(size_t r) const noexcept { return __extent[r]; }
};
template <class Index, class Sequence> struct __dynamic;
template <class Index, size_t... I> struct __dynamic<Index, ::std::index_sequence<I...>> {
    using type = extents<Index, ((void)I, dynamic_extent)...>;
};
template <class Index, size_t Rank> using dextents = typename __dynamic<Index, ::std::make_index_sequence<Rank>>::type;
template <size_t Rank, class Index = size_t> using dims = dextents<Index, Rank>;

template <class Extents> struct __mapping {
    using extents_type = Extents;
    using index_type = typename Extents::index_type;
    using size_type = typename Extents::size_type;
    using rank_type = size_t;
    Extents __extents;
    __HGRD_V __mapping() noexcept : __extents() {}
    __HGRD_V __mapping(const Extents& extents) noexcept : __extents(extents) {}
    __HGRD_V const Extents& extents() const noexcept { return __extents; }
    __HGRD_V index_type __size() const {
        index_type product = 1;
        for (size_t r = 0; r < Extents::rank(); ++r) product *= __extents.extent(r);
        return product;
    }
    static __HGRD_V bool is_always_unique() noexcept { return true; }
    static __HGRD_V bool is_unique() noexcept { return true; }
};
struct layout_right {
    template <class Extents> struct mapping : __mapping<Extents> {
        using layout_type = layout_right;
        using index_type = typename Extents::index_type;
        __HGRD_V mapping() noexcept {}
        __HGRD_V mapping(const Extents& extents) noexcept : __mapping<Extents>(extents) {}
        __HGRD_V index_type stride(size_t r) const {
            index_type product = 1;
            for (size_t k = r + 1; k < Extents::rank(); ++k) product *= this->__extents.extent(k);
            return product;
        }
        __HGRD_V index_type required_span_size() const { return this->__size(); }
        template <class I> __HGRD_V index_type operator()(I i) const { return static_cast<index_type>(i); }
        template <class I, class J> __HGRD_V index_type operator()(I i, J j) const {
            return (*this)(i) * this->__extents.extent(1) + static_cast<index_type>(j);
        }
        template <class I, class J, class K> __HGRD_V index_type operator()(I i, J j, K k) const {
            return (*this)(i, j) * this->__extents.extent(2) + static_cast<index_type>(k);
        }
        template <class I, class J, class K, class L> __HGRD_V index_type operator()(I i, J j, K k, L l) const {
            return (*this)(i, j, k) * this->__extents.extent(3) + static_cast<index_type>(l);
        }
    };
};
struct layout_left {
    template <class Extents> struct mapping : __mapping<Extents> {
        using layout_type = layout_left;
        using index_type = typename Extents::index_type;
        __HGRD_V mapping() noexcept {}
        __HGRD_V mapping(const Extents& extents) noexcept : __mapping<Extents>(extents) {}
        __HGRD_V index_type stride(size_t r) const {
            index_type product = 1;
            for (size_t k = 0; k < r; ++k) product *= this->__extents.extent(k);
            return product;
        }
        __HGRD_V index_type required_span_size() const { return this->__size(); }
        template <class I> __HGRD_V index_type operator()(I i) const { return static_cast<index_type>(i); }
        template <class I, class J> __HGRD_V index_type operator()(I i, J j) const {
            return static_cast<index_type>(j) * this->__extents.extent(0) + static_cast<index_type>(i);
        }
        template <class I, class J, class K> __HGRD_V index_type operator()(I i, J j, K k) const {
            return static_cast<index_type>(k) * stride(2) + (*this)(i, j);
        }
        template <class I, class J, class K, class L> __HGRD_V index_type operator()(I i, J j, K k, L l) const {
            return static_cast<index_type>(l) * stride(3) + (*this)(i, j, k);
        }
    };
};
struct layout_stride {
    template <class Extents> struct mapping : __mapping<Extents> {
        using layout_type = layout_stride;
        using index_type = typename Extents::index_type;
        index_type __stride[Extents::rank()];
        __HGRD_V mapping() noexcept : __stride{} {}
        template <class Strides> __HGRD_V mapping(const Extents& extents, const Strides& strides) noexcept
            : mapping(extents, strides, ::std::make_index_sequence<Extents::rank()>{}) {}
        template <class Strides, size_t... Rank>
        __HGRD_V mapping(const Extents& extents, const Strides& strides, ::std::index_sequence<Rank...>) noexcept
            : __mapping<Extents>(extents), __stride{static_cast<index_type>(strides[Rank])...} {}
        template <class Other, class = typename Other::layout_type>
        __HGRD_V mapping(const Other& other) noexcept : mapping(other, ::std::make_index_sequence<Extents::rank()>{}) {}
        template <class Other, size_t... Rank>
        __HGRD_V mapping(const Other& other, ::std::index_sequence<Rank...>) noexcept
            : __mapping<Extents>(other.extents()), __stride{static_cast<index_type>(other.stride(Rank))...} {}
        __HGRD_V index_type stride(size_t r) const { return __stride[r]; }
        __HGRD_V index_type required_span_size() const {
            index_type size = 1;
            for (size_t r = 0; r < Extents::rank(); ++r) size += (this->__extents.extent(r) - 1) * __stride[r];
            return size;
        }
        template <class I> __HGRD_V index_type operator()(I i) const { return static_cast<index_type>(i) * __stride[0]; }
        template <class I, class J> __HGRD_V index_type operator()(I i, J j) const {
            return (*this)(i) + static_cast<index_type>(j) * __stride[1];
        }
        template <class I, class J, class K> __HGRD_V index_type operator()(I i, J j, K k) const {
            return (*this)(i, j) + static_cast<index_type>(k) * __stride[2];
        }
        template <class I, class J, class K, class L> __HGRD_V index_type operator()(I i, J j, K k, L l) const {
            return (*this)(i, j, k) + static_cast<index_type>(l) * __stride[3];
        }
    };
};

template <class T> struct default_accessor {};
template <class T, class Extents, class Layout = layout_right, class Accessor = default_accessor<T>> class mdspan {
  public:
    using extents_type = Extents;
    using layout_type = Layout;
    using mapping_type = typename Layout::template mapping<Extents>;
    using element_type = T;
    using value_type = ::std::remove_cv_t<T>;
    using index_type = typename Extents::index_type;
    using size_type = typename Extents::size_type;
    using rank_type = size_t;
    using data_handle_type = T*;
    using reference = T&;
    T* __data;
    mapping_type __mapping;
    __HGRD_V mdspan() : __data(nullptr), __mapping() {}
    template <class... Sizes, class = ::std::enable_if_t<(::std::is_convertible_v<Sizes, typename Extents::index_type> && ...)>>
    __HGRD_V explicit mdspan(T* data, Sizes... sizes) : __data(data), __mapping(Extents(sizes...)) {}
    __HGRD_V mdspan(T* data, const Extents& extents) : __data(data), __mapping(extents) {}
    __HGRD_V mdspan(T* data, const mapping_type& mapping) : __data(data), __mapping(mapping) {}
    __HGRD_V T* data_handle() const { return __data; }
    __HGRD_V const mapping_type& mapping() const { return __mapping; }
    __HGRD_V const Extents& extents() const { return __mapping.__extents; }
    __HGRD_V index_type extent(size_t r) const { return __mapping.__extents.extent(r); }
    __HGRD_V index_type stride(size_t r) const { return __mapping.stride(r); }
    static __HGRD_V size_t rank() { return Extents::rank(); }
    __HGRD_V size_type size() const {
        size_type product = 1;
        for (size_t r = 0; r < Extents::rank(); ++r) product *= __mapping.__extents.extent(r);
        return product;
    }
    template <class... At> __HGRD_V T& operator()(At... at) const { return __data[__mapping(at...)]; }
#if defined(__cpp_multidimensional_subscript)
    template <class... At> __HGRD_V T& operator[](At... at) const { return __data[__mapping(at...)]; }
#else
    template <class At> __HGRD_V T& operator[](At at) const { return __data[at]; }
#endif
};
}
}
#undef __HGRD_V
#endif
