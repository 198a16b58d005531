// The pictures that a viewer can go back to, within a bound of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "src/view/picture.h"

namespace firn::view {

// Where the bound is passed every second picture goes, so that what stays still spans the whole
// run: the first one and the newest always stay.
class PictureStore {
 public:
  explicit PictureStore(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  // In place of a passing one, if that is the newest. Returns the number that it got.
  std::uint64_t add(Picture picture);
  // As add, in place of the newest picture, which has other channels of the same moment.
  std::uint64_t replace_newest(Picture picture);
  void clear();

  std::shared_ptr<const Picture> find(std::uint64_t number) const;  // null: gone, or never there
  const std::vector<std::shared_ptr<const Picture>>& all() const { return pictures_; }
  std::size_t bytes() const { return bytes_; }
  int thinned() const { return thinned_; }  // how often the bound was passed

 private:
  void thin();
  void recount();

  std::size_t most_bytes_, bytes_ = 0;
  std::uint64_t last_number_ = 0;
  int thinned_ = 0;
  std::vector<std::shared_ptr<const Picture>> pictures_;
};

}  // namespace firn::view
