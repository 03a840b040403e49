// A vector whose first N elements need no allocation: sizes, strides, operands. Plain members, so that debuggers read
// it without help: `data_[0]`, `size_`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <type_traits>

namespace tensorlib {

using IntArrayRef = std::span<const std::int64_t>;

template <typename T, std::size_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  SmallVector() = default;
  explicit SmallVector(std::size_t size, T value = T{}) { resize(size, value); }
  SmallVector(std::initializer_list<T> values) { assign(values.begin(), values.end()); }
  SmallVector(std::span<const T> values) { assign(values.data(), values.data() + values.size()); }
  SmallVector(const SmallVector& other) { assign(other.begin(), other.end()); }
  SmallVector& operator=(const SmallVector& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  ~SmallVector() { release(); }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  operator std::span<const T>() const { return {data_, size_}; }

  void push_back(T value) {
    reserve(size_ + 1);
    data_[size_++] = value;
  }
  void resize(std::size_t size, T value = T{}) {
    reserve(size);
    for (std::size_t i = size_; i < size; ++i) data_[i] = value;
    size_ = size;
  }
  void assign(const T* first, const T* last) {
    const std::size_t size = static_cast<std::size_t>(last - first);
    size_ = 0;
    reserve(size);
    for (std::size_t i = 0; i < size; ++i) data_[i] = first[i];
    size_ = size;
  }

 private:
  void reserve(std::size_t wanted) {
    if (wanted <= capacity_) return;
    const std::size_t capacity = wanted < 2 * capacity_ ? 2 * capacity_ : wanted;
    T* bigger = new T[capacity];
    for (std::size_t i = 0; i < size_; ++i) bigger[i] = data_[i];
    release();
    data_ = bigger;
    capacity_ = capacity;
  }
  void release() {
    if (data_ != inline_) delete[] data_;
  }

  T* data_ = inline_;
  std::size_t size_ = 0;
  std::size_t capacity_ = N;
  T inline_[N];
};

using DimVector = SmallVector<std::int64_t, 5>;

}  // namespace tensorlib
