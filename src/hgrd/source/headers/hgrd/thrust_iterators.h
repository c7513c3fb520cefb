// Thrust: pointers, vectors and iterators.
#pragma once
#include "standard.h"
#include <initializer_list>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <vector>
#define THRUST_VERSION 200400
#define THRUST_MAJOR_VERSION 2
#define THRUST_MINOR_VERSION 4
#define THRUST_SUBMINOR_VERSION 0
#define THRUST_PATCH_NUMBER 0
#define THRUST_DEVICE_SYSTEM 1
#define THRUST_DEVICE_SYSTEM_CUDA 1
namespace thrust {
using std::get;
using std::make_pair;
using std::make_tuple;
using std::pair;
using std::swap;
using std::tie;
using std::tuple;
using std::tuple_element;
using std::tuple_size;
struct null_type {};

template <class I> using __value = typename std::iterator_traits<I>::value_type;
template <class I> struct iterator_value { typedef __value<I> type; };
template <class I> struct iterator_reference { typedef typename std::iterator_traits<I>::reference type; };
template <class I> struct iterator_pointer { typedef typename std::iterator_traits<I>::pointer type; };
template <class I> struct iterator_difference { typedef typename std::iterator_traits<I>::difference_type type; };
template <class I> struct iterator_traits : std::iterator_traits<I> {};
template <class I> struct iterator_system { typedef int type; };
template <class I> using iterator_value_t = __value<I>;

// Everything that moves over a sequence, with elements of type T and references of type R.
template <class Self, class T, class R> struct __iterator {
    typedef T value_type;
    typedef R reference;
    typedef T* pointer;
    typedef ptrdiff_t difference_type;
    typedef std::random_access_iterator_tag iterator_category;
    __HGRD_BOTH R operator*() const;
    __HGRD_BOTH R operator[](ptrdiff_t n) const;
    __HGRD_BOTH T* operator->() const;
    __HGRD_BOTH Self& operator++();
    __HGRD_BOTH Self operator++(int);
    __HGRD_BOTH Self& operator--();
    __HGRD_BOTH Self operator--(int);
    __HGRD_BOTH Self& operator+=(ptrdiff_t n);
    __HGRD_BOTH Self& operator-=(ptrdiff_t n);
    __HGRD_BOTH Self operator+(ptrdiff_t n) const;
    __HGRD_BOTH Self operator-(ptrdiff_t n) const;
    __HGRD_BOTH ptrdiff_t operator-(const Self& other) const;
    __HGRD_BOTH bool operator==(const Self& other) const;
    __HGRD_BOTH bool operator!=(const Self& other) const;
    __HGRD_BOTH bool operator<(const Self& other) const;
    __HGRD_BOTH bool operator>(const Self& other) const;
    __HGRD_BOTH bool operator<=(const Self& other) const;
    __HGRD_BOTH bool operator>=(const Self& other) const;
};

template <class T> struct device_ptr;
template <class T> struct device_reference {
    __HGRD_BOTH operator T() const;
    __HGRD_BOTH device_reference& operator=(const T& value);
    __HGRD_BOTH device_reference& operator=(const device_reference& value);
    template <class V> __HGRD_BOTH device_reference& operator=(const device_reference<V>& value);
    __HGRD_BOTH device_ptr<T> operator&() const;
    __HGRD_BOTH device_reference& operator+=(const T& value);
    __HGRD_BOTH device_reference& operator-=(const T& value);
    __HGRD_BOTH device_reference& operator*=(const T& value);
    __HGRD_BOTH device_reference& operator/=(const T& value);
    __HGRD_BOTH device_reference& operator++();
    __HGRD_BOTH device_reference& operator--();
    device_reference() = default;
    device_reference(const device_reference&) = default;
};
template <class T> struct device_ptr : __iterator<device_ptr<T>, typename std::remove_const<T>::type, device_reference<T>> {
    T* __pointer;
    typedef T element_type;
    device_ptr() = default;
    template <class V> __HGRD_BOTH explicit device_ptr(V* pointer);
    __HGRD_BOTH device_ptr(decltype(nullptr));
    template <class V> __HGRD_BOTH device_ptr(const device_ptr<V>& other);
    __HGRD_BOTH T* get() const;
    __HGRD_BOTH T* raw() const;
    __HGRD_BOTH explicit operator bool() const;
};
template <> struct device_ptr<void> {
    device_ptr() = default;
    template <class V> __HGRD_BOTH device_ptr(const device_ptr<V>& other);
    __HGRD_BOTH explicit device_ptr(void* pointer);
    __HGRD_BOTH void* get() const;
    template <class V> __HGRD_BOTH explicit operator device_ptr<V>() const;
};
template <class T> using pointer = device_ptr<T>;

template <class T> __HGRD_BOTH device_ptr<T> device_pointer_cast(T* pointer);
template <class T> __HGRD_BOTH device_ptr<T> device_pointer_cast(const device_ptr<T>& pointer);
template <class T> __HGRD_BOTH T* raw_pointer_cast(T* pointer);
template <class T> __HGRD_BOTH T* raw_pointer_cast(const device_ptr<T>& pointer);
template <class T> __HGRD_BOTH T& raw_reference_cast(T& reference);
template <class T> __HGRD_BOTH T& raw_reference_cast(device_reference<T> reference);
template <class T> device_ptr<T> device_malloc(size_t n);
device_ptr<void> device_malloc(size_t n);
template <class T> void device_free(device_ptr<T> pointer);
template <class T> device_ptr<T> device_new(size_t n = 1);
template <class T> void device_delete(device_ptr<T> pointer, size_t n = 0);

template <class T> struct device_allocator { typedef T value_type; typedef device_ptr<T> pointer; };
template <class T> struct device_malloc_allocator { typedef T value_type; typedef device_ptr<T> pointer; };

// A vector whose iterators are I and references R.
template <class Self, class T, class I, class C, class R, class P> struct __vector {
    typedef T value_type;
    typedef I iterator;
    typedef C const_iterator;
    typedef R reference;
    typedef T const_reference;
    typedef P pointer;
    typedef size_t size_type;
    typedef ptrdiff_t difference_type;
    __vector();
    explicit __vector(size_t n);
    template <class V> __vector(size_t n, const V& value);
    template <class J, class = __value<J>> __vector(J first, J last);
    __vector(std::initializer_list<T> values);
    template <class V, class = typename V::iterator> __vector(const V& other);
    ~__vector();
    template <class V, class = typename V::iterator> Self& operator=(const V& other);
    I begin();
    I end();
    C begin() const;
    C end() const;
    C cbegin() const;
    C cend() const;
    std::reverse_iterator<I> rbegin();
    std::reverse_iterator<I> rend();
    R operator[](size_t n);
    R operator[](size_t n) const;
    R at(size_t n);
    R front();
    R back();
    T front() const;
    T back() const;
    P data();
    P data() const;
    size_t size() const;
    size_t capacity() const;
    bool empty() const;
    void resize(size_t n);
    void resize(size_t n, const T& value);
    void reserve(size_t n);
    void shrink_to_fit();
    void clear();
    void push_back(const T& value);
    void pop_back();
    void swap(Self& other);
    template <class J> void assign(J first, J last);
    I erase(I position);
    I erase(I first, I last);
    I insert(I position, const T& value);
    template <class J> void insert(I position, J first, J last);
    template <class V> bool operator==(const V& other) const;
    template <class V> bool operator!=(const V& other) const;
};
template <class T, class Allocator = device_allocator<T>>
struct device_vector
    : __vector<device_vector<T, Allocator>, T, device_ptr<T>, device_ptr<const T>, device_reference<T>, device_ptr<T>> {
    using __vector<device_vector<T, Allocator>, T, device_ptr<T>, device_ptr<const T>, device_reference<T>,
                   device_ptr<T>>::__vector;
    using __vector<device_vector<T, Allocator>, T, device_ptr<T>, device_ptr<const T>, device_reference<T>,
                   device_ptr<T>>::operator=;
    device_vector() = default;
};
template <class T, class Allocator = std::allocator<T>>
struct host_vector : __vector<host_vector<T, Allocator>, T, T*, const T*, T&, T*> {
    using __vector<host_vector<T, Allocator>, T, T*, const T*, T&, T*>::__vector;
    using __vector<host_vector<T, Allocator>, T, T*, const T*, T&, T*>::operator=;
    host_vector() = default;
};
template <class T, class Allocator = device_allocator<T>> using universal_vector = host_vector<T, Allocator>;

template <class T, class System = void, class Traversal = void, class Difference = ptrdiff_t>
struct counting_iterator : __iterator<counting_iterator<T, System, Traversal, Difference>, T, T> {
    counting_iterator() = default;
    __HGRD_BOTH explicit counting_iterator(T first);
};
template <class T> __HGRD_BOTH counting_iterator<T> make_counting_iterator(T first);
template <class T, class Difference = ptrdiff_t, class System = void>
struct constant_iterator : __iterator<constant_iterator<T, Difference, System>, T, T> {
    constant_iterator() = default;
    __HGRD_BOTH constant_iterator(T value);
    template <class N> __HGRD_BOTH constant_iterator(T value, N n);
};
template <class T> __HGRD_BOTH constant_iterator<T> make_constant_iterator(T value);
struct __anything {
    template <class T> __HGRD_BOTH __anything& operator=(const T& value);
};
template <class System = void> struct discard_iterator : __iterator<discard_iterator<System>, __anything, __anything> {
    __HGRD_BOTH discard_iterator(ptrdiff_t n = 0);
};
__HGRD_BOTH discard_iterator<> make_discard_iterator(ptrdiff_t n = 0);
template <class F, class I> using __result = typename std::decay<std::invoke_result_t<F, __value<I>>>::type;
template <class F, class I, class R = __result<F, I>, class V = R>
struct transform_iterator : __iterator<transform_iterator<F, I, R, V>, typename std::decay<V>::type, R> {
    transform_iterator() = default;
    __HGRD_BOTH transform_iterator(I iterator, F function);
    __HGRD_BOTH explicit transform_iterator(I iterator);
    __HGRD_BOTH I base() const;
};
template <class F, class I> __HGRD_BOTH transform_iterator<F, I> make_transform_iterator(I iterator, F function);
template <class I, class F> struct transform_output_iterator : __iterator<transform_output_iterator<I, F>, __anything, __anything> {};
template <class I, class F> __HGRD_BOTH transform_output_iterator<I, F> make_transform_output_iterator(I iterator, F function);
template <class Values, class Indices>
struct permutation_iterator
    : __iterator<permutation_iterator<Values, Indices>, __value<Values>, typename std::iterator_traits<Values>::reference> {
    permutation_iterator() = default;
    __HGRD_BOTH permutation_iterator(Values values, Indices indices);
};
template <class Values, class Indices>
__HGRD_BOTH permutation_iterator<Values, Indices> make_permutation_iterator(Values values, Indices indices);
template <class I> struct reverse_iterator : __iterator<reverse_iterator<I>, __value<I>, typename std::iterator_traits<I>::reference> {
    __HGRD_BOTH explicit reverse_iterator(I iterator);
};
template <class I> __HGRD_BOTH reverse_iterator<I> make_reverse_iterator(I iterator);
template <class Tuple> struct __zipped;
template <class... I> struct __zipped<tuple<I...>> {
    typedef tuple<__value<I>...> values;
    typedef tuple<typename std::iterator_traits<I>::reference...> references;
};
template <class Tuple>
struct zip_iterator : __iterator<zip_iterator<Tuple>, typename __zipped<Tuple>::values, typename __zipped<Tuple>::references> {
    zip_iterator() = default;
    __HGRD_BOTH zip_iterator(Tuple iterators);
    __HGRD_BOTH const Tuple& get_iterator_tuple() const;
};
template <class... I> __HGRD_BOTH zip_iterator<tuple<I...>> make_zip_iterator(tuple<I...> iterators);
template <class I, class... J> __HGRD_BOTH zip_iterator<tuple<I, J...>> make_zip_iterator(I first, J... others);
template <class F> struct zip_function {
    __HGRD_BOTH zip_function(F function);
    template <class T> __HGRD_BOTH auto operator()(T&& values) const -> decltype(std::apply(std::declval<F>(), values));
};
template <class F> __HGRD_BOTH zip_function<F> make_zip_function(F function);
template <class I> __HGRD_BOTH ptrdiff_t distance(I first, I last);
template <class I, class N> __HGRD_BOTH void advance(I& iterator, N n);
template <class I> __HGRD_BOTH I next(I iterator, ptrdiff_t n = 1);
template <class I> __HGRD_BOTH I prev(I iterator, ptrdiff_t n = 1);
struct input_host_iterator_tag {};
struct output_host_iterator_tag {};
struct random_access_traversal_tag {};
struct random_access_device_iterator_tag {};
struct system_error : std::runtime_error {
    using std::runtime_error::runtime_error;
    template <class... T> system_error(T... arguments);
    int code() const;
};
}
