#include "src/view/limited_stream.h"

#if defined(FIRN_WITH_VIEWER)

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "src/view/requests.h"

namespace firn::view {
namespace {

using namespace std::chrono_literals;

constexpr auto kReading = 5s;   // for all of a request
constexpr auto kWriting = 10s;  // until the other side takes the next bytes
constexpr auto kGlance = 100ms;

// Whether `events` came within the time.
bool wait_for(int socket, short events, std::chrono::milliseconds most) {
  pollfd one{socket, events, 0};
  int ready = 0;
  do {
    ready = poll(&one, 1, static_cast<int>(std::max(most, 0ms).count()));
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

}  // namespace

bool LimitedStream::wait_for_request(const std::function<bool()>& ended) {
  const auto until = Clock::now() + std::chrono::seconds(kIdleSeconds);
  left_ = kLargestRequest;
  while (begin_ == end_) {
    if (ended() || Clock::now() >= until) return false;
    if (!wait_for(socket_, POLLIN, kGlance)) continue;
    until_ = Clock::now() + kReading;
    if (!fill()) return false;
  }
  until_ = Clock::now() + kReading;
  return true;
}

bool LimitedStream::fill() {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until_ - Clock::now());
  if (left <= 0ms || !wait_for(socket_, POLLIN, left)) return false;
  const ssize_t came = recv(socket_, buffer_.data(), buffer_.size(), 0);
  if (came <= 0) return false;
  begin_ = 0;
  end_ = static_cast<std::size_t>(came);
  return true;
}

ssize_t LimitedStream::read(char* to, std::size_t size) {
  if (size == 0) return 0;
  if (left_ == 0 || (begin_ == end_ && !fill())) return -1;
  const std::size_t count = std::min({size, end_ - begin_, left_});
  std::copy_n(buffer_.data() + begin_, count, to);
  begin_ += count;
  left_ -= count;
  return static_cast<ssize_t>(count);
}

ssize_t LimitedStream::write(const char* from, std::size_t size) {
  for (std::size_t sent = 0; sent < size;) {
    if (!wait_for(socket_, POLLOUT, kWriting)) return -1;
    const ssize_t went = send(socket_, from + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (went < 0 && errno != EAGAIN && errno != EINTR) return -1;
    if (went > 0) sent += static_cast<std::size_t>(went);
  }
  return static_cast<ssize_t>(size);
}

}  // namespace firn::view

#endif
