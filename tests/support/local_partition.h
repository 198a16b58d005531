// Partitions of one domain in one process, each with a thread of its own on the CPU: what they tell
// each other goes through mailboxes. The domain is cut where keys of blocks are cut.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <iterator>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "src/state/partition.h"

namespace firn::test {

class Mailboxes {
 public:
  explicit Mailboxes(std::size_t partitions) : sent_(partitions) {}
  std::size_t count() const { return sent_.size(); }

  // sent[q] goes to partition q; returns what each has sent to this one. Throws where one has left.
  std::vector<Message> exchange(std::size_t rank, std::vector<Message> sent) {
    sent_[rank] = std::move(sent);
    meet();
    std::vector<Message> received;
    for (const auto& messages : sent_) received.push_back(messages[rank]);
    meet();
    return received;
  }
  // For a partition that makes no further calls: nobody is to wait for it.
  void leave() {
    const std::lock_guard lock(mutex_);
    left_ = true;
    changed_.notify_all();
  }

 private:
  void meet() {
    std::unique_lock lock(mutex_);
    const std::size_t here = round_;
    if (++waiting_ == count()) {
      waiting_ = 0;
      ++round_;
      changed_.notify_all();
    }
    changed_.wait(lock, [&] { return round_ != here || left_; });
    if (round_ == here) throw std::runtime_error("another partition has left");
  }

  std::vector<std::vector<Message>> sent_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t waiting_ = 0, round_ = 0;
  bool left_ = false;
};

template <class T>
Message bytes_of(const std::vector<T>& values) {
  Message message(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(message.data(), values.data(), message.size());
  return message;
}
template <class T>
std::vector<T> values_of(const Message& message) {
  std::vector<T> values(message.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), message.data(), message.size());
  return values;
}

// What went through a partition, so that a test knows that there was something to get wrong.
struct PartitionTraffic {
  std::size_t halo_down = 0, halo_up = 0;            // copies of blocks that a lower rank, a higher
                                                     // one owns, over all layouts
  std::size_t particles_down = 0, particles_up = 0;  // messages with particles
};

template <class Real>
class LocalPartition final : public Partition<Real> {
 public:
  // Partition r has the keys from cuts[r - 1] on, below cuts[r].
  LocalPartition(Mailboxes& mail, std::size_t rank, std::vector<std::uint64_t> cuts,
                 PartitionTraffic& traffic)
      : mail_(mail), rank_(rank), cuts_(std::move(cuts)), traffic_(traffic) {}

  std::size_t count() const override { return mail_.count(); }
  std::size_t rank() const override { return rank_; }
  std::size_t owner(std::uint64_t key) const override {
    return static_cast<std::size_t>(std::upper_bound(cuts_.begin(), cuts_.end(), key) -
                                    cuts_.begin());
  }

  void meet(std::span<const std::uint64_t> keys) override {
    const std::vector<std::uint64_t> mine(keys.begin(), keys.end());
    std::vector<std::vector<std::uint64_t>> of_rank;
    for (const Message& m : mail_.exchange(rank_, to_all(bytes_of(mine))))
      of_rank.push_back(values_of<std::uint64_t>(m));
    copies_.assign(count(), {});
    counted_.assign(count(), {});
    for (std::uint32_t block = 0; block < mine.size(); ++block) {
      std::vector<std::size_t> holders;
      for (std::size_t rank = 0; rank < count(); ++rank)
        if (std::binary_search(of_rank[rank].begin(), of_rank[rank].end(), mine[block]))
          holders.push_back(rank);
      const bool there = std::count(holders.begin(), holders.end(), owner(mine[block])) > 0;
      const std::size_t counts = there ? owner(mine[block]) : holders.front();
      if (counts != rank_) copies_[counts].push_back(block);
      for (const std::size_t rank : holders)
        if (counts == rank_ && rank != rank_) counted_[rank].push_back(block);
    }
    for (std::size_t rank = 0; rank < count(); ++rank)
      (rank < rank_ ? traffic_.halo_down : traffic_.halo_up) += copies_[rank].size();
  }

  void add_halo(BlockRows<Real> rows) override {
    std::vector<Message> messages;
    for (const auto& blocks : copies_) messages.push_back(bytes_of(values(rows, blocks)));
    count_once_of(rows);
    put(rows, counted_, mail_.exchange(rank_, std::move(messages)),
        [](Real& here, Real value) { here += value; });
  }
  void copy_halo(BlockRows<Real> rows) override {
    std::vector<Message> messages;
    for (const auto& blocks : counted_) messages.push_back(bytes_of(values(rows, blocks)));
    put(rows, copies_, mail_.exchange(rank_, std::move(messages)),
        [](Real& here, Real value) { here = value; });
  }
  void count_once(BlockRows<double> rows) override { count_once_of(rows); }

  void reduce(StepControl& control) override {
    const std::vector<StepControl> mine{control};
    for (const Message& m : mail_.exchange(rank_, to_all(bytes_of(mine))))
      combine(control, values_of<StepControl>(m).front());
  }
  void sum(std::span<double> values) override {
    const std::vector<double> mine(values.begin(), values.end());
    std::fill(values.begin(), values.end(), 0.0);
    for (const Message& m : mail_.exchange(rank_, to_all(bytes_of(mine)))) {
      const auto other = values_of<double>(m);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] += other[i];
    }
  }
  std::vector<Message> exchange(std::vector<Message> messages) override {
    for (std::size_t rank = 0; rank < count(); ++rank)
      (rank < rank_ ? traffic_.particles_down : traffic_.particles_up) += !messages[rank].empty();
    return mail_.exchange(rank_, std::move(messages));
  }

 private:
  using Blocks = std::vector<std::vector<std::uint32_t>>;  // by rank, in the order of keys

  std::vector<Message> to_all(const Message& message) const {
    return std::vector<Message>(count(), message);
  }
  static std::vector<Real> values(BlockRows<Real> rows, const std::vector<std::uint32_t>& blocks) {
    std::vector<Real> values;
    for (const std::uint32_t block : blocks)
      values.insert(values.end(), rows.data + block * rows.per_block,
                    rows.data + (block + 1) * rows.per_block);
    return values;
  }
  template <class F>
  static void put(BlockRows<Real> rows, const Blocks& blocks, const std::vector<Message>& received,
                  F&& f) {
    for (std::size_t rank = 0; rank < blocks.size(); ++rank) {
      const auto values = values_of<Real>(received[rank]);
      if (values.size() != blocks[rank].size() * rows.per_block)
        throw std::runtime_error("two partitions disagree about the blocks that both have");
      for (std::size_t i = 0; i < values.size(); ++i)
        f(rows.data[blocks[rank][i / rows.per_block] * rows.per_block + i % rows.per_block],
          values[i]);
    }
  }
  template <class T>
  void count_once_of(BlockRows<T> rows) const {
    for (const auto& blocks : copies_)
      for (const std::uint32_t block : blocks)
        std::fill_n(rows.data + block * rows.per_block, rows.per_block, T(0));
  }

  Mailboxes& mail_;
  std::size_t rank_;
  std::vector<std::uint64_t> cuts_;
  PartitionTraffic& traffic_;
  Blocks copies_, counted_;  // those that another's copy counts for, and those that others copy
};

}  // namespace firn::test
