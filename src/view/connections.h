// cpp-httplib's server with one thread per connection, a bound on how many there are, and
// LimitedStream beneath each.
#pragma once

#if defined(FIRN_WITH_VIEWER)

#include <atomic>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <utility>

#include <httplib.h>

namespace firn::view {

class LimitedStream;

inline constexpr int kMostConnections = 32;  // a browser has six to one server
inline constexpr int kRequestsOfOne = 10000;

class BoundedServer : public httplib::Server {
 public:
  BoundedServer();
  void end();  // of waiting for further requests; then stop()

 private:
  // One thread per connection; beyond the bound a connection is closed on the thread that accepts.
  class Threads final : public httplib::TaskQueue {
   public:
    explicit Threads(BoundedServer& server) : server_(server) {}
    using Accepted = decltype(std::declval<httplib::TaskQueue&>().enqueue(nullptr));
    Accepted enqueue(std::function<void()> answer) override;
    void shutdown() override;

   private:
    void take(const std::function<void()>& answer);
    void join_ended();
    void refuse(const std::function<void()>& answer);
    struct Running {
      std::thread thread;
      std::atomic<bool> done{false};
    };
    BoundedServer& server_;
    std::list<Running> running_;  // of the accepting thread alone
  };

  bool process_and_close_socket(int socket) override;
  void answer(int socket);
  template <class Self>
  static bool process_next(Self& server, LimitedStream& stream, bool last, bool& closed);

  std::atomic<bool> ended_{false};
  std::atomic<bool> full_{false};  // what is answered on the accepting thread is refused
  std::thread::id accepting_;      // set before there is any other
};

}  // namespace firn::view

#endif
