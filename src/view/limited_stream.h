// The bytes of one connection as cpp-httplib reads and writes them, within bounds of its own: that
// library reads lines of any length and any number of them, and waits anew for every byte. Here a
// request has so many bytes and so many seconds, and an answer must be taken at some pace.
#pragma once

#if defined(FIRN_WITH_VIEWER)

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include <httplib.h>

namespace firn::view {

inline constexpr int kIdleSeconds = 15;  // between two requests

class LimitedStream final : public httplib::Stream {
 public:
  explicit LimitedStream(int socket) : socket_(socket) {}

  // For the first byte of a request; false: none came in time, the other side has gone, or
  // `ended` says so.
  bool wait_for_request(const std::function<bool()>& ended);

  // What a stream is asked depends on the library's version, so that none of these can be marked an
  // override. NOLINTBEGIN(modernize-use-override)
  bool is_readable() const { return true; }
  bool is_writable() const { return true; }    // of 0.11 and 0.18
  bool wait_readable() const { return true; }  // of 0.41
  bool wait_writable() const { return true; }
  time_t duration() const { return 0; }  // s, since it began: no bound of the library's is used
  ssize_t read(char* to, std::size_t size);
  ssize_t write(const char* from, std::size_t size);
  void get_remote_ip_and_port(std::string& ip, int& port) const { ip = "", port = 0; }
  void get_local_ip_and_port(std::string& ip, int& port) const { ip = "", port = 0; }
  int socket() const { return socket_; }
  // NOLINTEND(modernize-use-override)

 private:
  using Clock = std::chrono::steady_clock;
  bool fill();

  int socket_;
  std::array<char, 4096> buffer_{};
  std::size_t begin_ = 0, end_ = 0;  // of what has come and was not read
  std::size_t left_ = 0;             // bytes that the request may still have
  Clock::time_point until_{};
};

}  // namespace firn::view

#endif
