// A flat byte stream for the state of a simulation: values in the order they are written, sizes
// checked on reading.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "firn/error.h"

namespace firn {

class ByteWriter {
 public:
  template <class T>
  void value(const T& v) {
    static_assert(std::is_trivially_copyable_v<T>);
    append(&v, sizeof(T));
  }
  template <class T>
  void values(std::span<const T> v) {
    static_assert(std::is_trivially_copyable_v<T>);
    value(static_cast<std::uint64_t>(v.size()));
    append(v.data(), v.size_bytes());
  }
  // A bound on what will be written, in all. Without one a stream that grows is copied, and while
  // it is, it is there twice; memory that is not written to is not taken.
  void reserve(std::size_t bytes) { bytes_.reserve(bytes); }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  void append(const void* data, std::size_t size) {
    if (size == 0) return;
    const std::size_t at = bytes_.size();
    bytes_.resize(at + size);
    std::memcpy(bytes_.data() + at, data, size);
  }
  std::vector<std::byte> bytes_;
};

// Every member throws Error{kFile} when the stream ends too early.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <class T>
  T value() {
    T v;
    take(&v, sizeof(T));
    return v;
  }
  template <class T>
  std::vector<T> values() {
    const auto count = value<std::uint64_t>();
    if (count > bytes_.size() / sizeof(T)) fail();
    std::vector<T> v(count);
    take(v.data(), count * sizeof(T));
    return v;
  }
  // Past what values() would give; how many.
  template <class T>
  std::uint64_t skip() {
    const auto count = value<std::uint64_t>();
    if (count > bytes_.size() / sizeof(T)) fail();
    bytes_ = bytes_.subspan(count * sizeof(T));
    return count;
  }
  void expect_end() const {
    if (!bytes_.empty()) fail();
  }

 private:
  [[noreturn]] static void fail() {
    throw Error(ErrorCategory::kFile,
                "the saved state does not fit this scene: it is cut short or of another layout");
  }
  void take(void* to, std::size_t size) {
    if (size > bytes_.size()) fail();
    if (size > 0) std::memcpy(to, bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
  }
  std::span<const std::byte> bytes_;
};

}  // namespace firn
