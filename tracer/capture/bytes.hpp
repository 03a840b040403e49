// Reading encoded numbers between two addresses. Reading past the end gives 0 and is remembered. Async-signal-safe.
#pragma once

#include <cstdint>

namespace callpath::capture {

class Bytes {
 public:
  Bytes(std::uint64_t at, std::uint64_t end) : at_(at), end_(end) {}

  bool more() const { return at_ < end_; }
  bool overrun() const { return overrun_; }
  std::uint64_t at() const { return at_; }
  std::uint64_t left() const { return end_ - at_; }

  template <class T>
  T take() {
    T value{};
    if (!skip(sizeof(T))) return value;
    __builtin_memcpy(&value, reinterpret_cast<const void*>(at_ - sizeof(T)), sizeof(T));
    return value;
  }
  bool skip(std::uint64_t size) {
    if (size > end_ - at_) return at_ = end_, overrun_ = true, false;
    at_ += size;
    return true;
  }
  std::uint64_t unsigned_leb() { return leb(false); }
  std::int64_t signed_leb() { return static_cast<std::int64_t>(leb(true)); }

 private:
  std::uint64_t leb(bool is_signed) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; more(); shift += 7) {
      auto byte = take<std::uint8_t>();
      if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte & 0x80) continue;
      if (is_signed && (byte & 0x40) && shift + 7 < 64) value |= ~0ull << (shift + 7);
      return value;
    }
    overrun_ = true;
    return 0;
  }

  std::uint64_t at_, end_;
  bool overrun_ = false;
};

}  // namespace callpath::capture
