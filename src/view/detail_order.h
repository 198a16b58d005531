// An order of particles of which every beginning is a fair sample of all of them: by a hash of
// their ids. It is what levels of detail are cut from, and the same particle has the same place in
// every frame as long as none comes or goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace firn::view {

// A bijection of 32 bits [Wellons 2018, lowbias32]: no two ids share a place.
constexpr std::uint32_t place_of_id(std::uint32_t id) {
  id ^= id >> 16;
  id *= 0x7feb352du;
  id ^= id >> 15;
  id *= 0x846ca68bu;
  id ^= id >> 16;
  return id;
}

class DetailOrder {
 public:
  // At most `most` indices into `ids`, by place. Remembers them for the next call with the same
  // ids.
  const std::vector<std::uint32_t>& of(const std::vector<std::uint32_t>& ids, std::size_t most);
  // Counts the calls that had other ids than the one before.
  std::uint64_t changes() const { return changes_; }

 private:
  std::vector<std::uint32_t> ids_, order_;
  std::size_t most_ = 0;
  std::uint64_t changes_ = 0;
};

}  // namespace firn::view
