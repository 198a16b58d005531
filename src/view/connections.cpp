#include "src/view/connections.h"

#if defined(FIRN_WITH_VIEWER)

#include <sys/socket.h>
#include <unistd.h>

#include <csignal>

#include "src/view/limited_stream.h"

namespace firn::view {

// Its base class ignores SIGPIPE for the whole process, for which nothing here has a need: the end
// of a reader of standard output is to be noticed.
BoundedServer::BoundedServer() {
  new_task_queue = [this] { return new Threads(*this); };
}

void BoundedServer::end() { ended_ = true; }

void BoundedServer::Threads::join_ended() {
  running_.remove_if([](Running& one) {
    if (!one.done) return false;
    one.thread.join();
    return true;
  });
}

void BoundedServer::Threads::enqueue(std::function<void()> answer) {
  join_ended();
  if (running_.size() >= kMostConnections) {
    server_.accepting_ = std::this_thread::get_id();
    server_.full_ = true;
    answer();  // which closes it, see process_and_close_socket
    server_.full_ = false;
    return;
  }
  Running& one = running_.emplace_back();
  try {
    one.thread = std::thread([answer = std::move(answer), &one] {
      answer();
      one.done = true;
    });
  } catch (const std::system_error&) {  // no thread: the socket is lost with its answer
    running_.pop_back();
  }
}

void BoundedServer::Threads::shutdown() {
  for (Running& one : running_) one.thread.join();
  running_.clear();
}

bool BoundedServer::process_and_close_socket(int socket) {
  const bool refused = full_ && std::this_thread::get_id() == accepting_;
  if (!refused) answer(socket);
  ::shutdown(socket, SHUT_RDWR);
  ::close(socket);
  return !refused;
}

// Whatever a request makes of the parser, it ends its own connection and nothing else.
void BoundedServer::answer(int socket) {
  try {
    LimitedStream stream(socket);
    for (int count = 1; count <= kRequestsOfOne; ++count) {
      if (!stream.wait_for_request([this] { return ended_.load(); })) return;
      bool closed = false;
      if (!process_request(stream, count == kRequestsOfOne, closed, nullptr) || closed) return;
    }
  } catch (...) {
  }
}

}  // namespace firn::view

#endif
