// An owning array in a backend's memory. Element types are plain data, moved as bytes.
#pragma once

#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/exec/backend.h"

namespace firn {

template <class Exec, class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  Buffer(Exec& exec, std::size_t size) : exec_(&exec) { reset(size); }
  Buffer(Exec& exec, std::span<const T> values) : Buffer(exec, values.size()) { upload(values); }
  ~Buffer() { free(); }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }
  bool empty() const { return size_ == 0; }

  void swap(Buffer& other) noexcept {
    std::swap(exec_, other.exec_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }
  void zero() {
    if (size_ > 0) exec_->zero(data_, bytes());
  }
  void upload(std::span<const T> values, std::size_t offset = 0) {
    if (!values.empty()) exec_->upload(data_ + offset, values.data(), values.size_bytes());
  }
  std::vector<T> download(std::size_t count, std::size_t offset = 0) const {
    std::vector<T> values(count);
    if (count > 0) exec_->download(values.data(), data_ + offset, count * sizeof(T));
    return values;
  }
  std::vector<T> download() const { return download(size_); }
  // Into memory that the caller keeps: steps read their reports so, and allocate nothing.
  void read(std::span<T> values) const {
    if (!values.empty()) exec_->download(values.data(), data_, values.size_bytes());
  }
  T first() const {
    T value;
    read(std::span<T>(&value, 1));
    return value;
  }
  // A new size; the first min(old, new) elements keep their values, further ones are zero.
  void resize(std::size_t size) {
    Buffer larger(*exec_, size);
    larger.zero();
    const std::size_t kept = size < size_ ? size : size_;
    if (kept > 0) exec_->copy(larger.data_, data_, kept * sizeof(T));
    swap(larger);
  }

 private:
  void reset(std::size_t size) {
    size_ = size;
    data_ = size > 0 ? static_cast<T*>(exec_->allocate(size * sizeof(T))) : nullptr;
  }
  void free() noexcept {
    if (data_ != nullptr) exec_->release(data_);
    data_ = nullptr;
    size_ = 0;
  }

  Exec* exec_ = nullptr;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

// Zeros in place of what the buffer held, which is given back before they are there.
template <class Exec, class T>
void renew(Exec& exec, Buffer<Exec, T>& buffer, std::size_t size) {
  buffer = {};
  buffer = Buffer<Exec, T>(exec, size);
  buffer.zero();
}

}  // namespace firn
