// The last few of something that is dear to make, the newest first. Safe on several threads.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

namespace firn {

template <class Key, class Value>
class LastUsed {
 public:
  std::shared_ptr<const Value> get(const Key& key, const std::function<Value()>& make) {
    {
      const std::lock_guard lock(mutex_);
      for (auto entry = entries_.begin(); entry != entries_.end(); ++entry)
        if (entry->first == key) {
          entries_.splice(entries_.begin(), entries_, entry);
          return entries_.front().second;
        }
    }
    auto made = std::make_shared<const Value>(make());
    const std::lock_guard lock(mutex_);
    entries_.emplace_front(key, made);
    if (entries_.size() > kMost) entries_.pop_back();
    return made;
  }

 private:
  static constexpr std::size_t kMost = 4;
  std::mutex mutex_;
  std::list<std::pair<Key, std::shared_ptr<const Value>>> entries_;
};

}  // namespace firn
