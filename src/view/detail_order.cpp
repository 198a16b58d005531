#include "src/view/detail_order.h"

#include <algorithm>

namespace firn::view {

const std::vector<std::uint32_t>& DetailOrder::of(const std::vector<std::uint32_t>& ids,
                                                  std::size_t most) {
  if (changes_ > 0 && most == most_ && ids == ids_) return order_;
  std::vector<std::uint64_t> keys(ids.size());  // place, then index
  for (std::size_t i = 0; i < ids.size(); ++i)
    keys[i] = std::uint64_t{place_of_id(ids[i])} << 32 | i;
  const auto end = keys.begin() + static_cast<std::ptrdiff_t>(std::min(most, keys.size()));
  if (end != keys.end()) std::nth_element(keys.begin(), end, keys.end());
  std::sort(keys.begin(), end);
  order_.clear();
  for (auto key = keys.begin(); key != end; ++key)
    order_.push_back(static_cast<std::uint32_t>(*key));
  ids_ = ids;
  most_ = most;
  ++changes_;
  return order_;
}

}  // namespace firn::view
