#include "src/view/picture_store.h"

#include <utility>

namespace firn::view {

std::uint64_t PictureStore::add(Picture picture) {
  if (!pictures_.empty() && pictures_.back()->passing) pictures_.pop_back();
  picture.number = ++last_number_;
  pictures_.push_back(std::make_shared<const Picture>(std::move(picture)));
  recount();
  while (bytes_ > most_bytes_ && pictures_.size() > 2) thin();
  return last_number_;
}

std::uint64_t PictureStore::replace_newest(Picture picture) {
  if (!pictures_.empty()) pictures_.pop_back();
  return add(std::move(picture));
}

void PictureStore::clear() {
  pictures_.clear();
  bytes_ = 0;
  thinned_ = 0;
}

std::shared_ptr<const Picture> PictureStore::find(std::uint64_t number) const {
  for (const auto& picture : pictures_)
    if (picture->number == number) return picture;
  return nullptr;
}

void PictureStore::thin() {
  std::vector<std::shared_ptr<const Picture>> kept;
  for (std::size_t i = 0; i < pictures_.size(); ++i)
    if (i % 2 == 0 || i + 1 == pictures_.size()) kept.push_back(std::move(pictures_[i]));
  pictures_ = std::move(kept);
  ++thinned_;
  recount();
}

// Channels that pictures share count once for each: the bound holds all the same.
void PictureStore::recount() {
  bytes_ = 0;
  for (const auto& picture : pictures_) bytes_ += picture->bytes();
}

}  // namespace firn::view
