#include "src/view/connections.h"

#if defined(FIRN_WITH_VIEWER)

#include <sys/socket.h>
#include <unistd.h>

#include <system_error>

#include "src/view/limited_stream.h"

namespace firn::view {

// The queue is made on the thread that accepts.
BoundedServer::BoundedServer() {
  new_task_queue = [this] {
    accepting_ = std::this_thread::get_id();
    return new Threads(*this);
  };
}

void BoundedServer::end() { ended_ = true; }

void BoundedServer::Threads::join_ended() {
  running_.remove_if([](Running& one) {
    if (!one.done) return false;
    one.thread.join();
    return true;
  });
}

// In 0.11 nothing, in 0.18 whether it was accepted: what was refused has its answer already.
BoundedServer::Threads::Accepted BoundedServer::Threads::enqueue(std::function<void()> answer) {
  take(answer);
  return Accepted(true);
}

void BoundedServer::Threads::take(const std::function<void()>& answer) {
  join_ended();
  if (running_.size() >= kMostConnections) return refuse(answer);
  Running& one = running_.emplace_back();
  try {
    one.thread = std::thread([answer, &one] {
      answer();
      one.done = true;
    });
  } catch (const std::system_error&) {  // the system has no more threads
    running_.pop_back();
    refuse(answer);
  }
}

// Only what is to answer knows the socket; called on this thread it closes it
// (process_and_close_socket).
void BoundedServer::Threads::refuse(const std::function<void()>& answer) {
  server_.full_ = true;
  answer();
  server_.full_ = false;
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

// 0.18 is told who is connected, unlike 0.11, which nothing here asks for.
template <class Self>
bool BoundedServer::process_next(Self& server, LimitedStream& stream, bool last, bool& closed) {
  if constexpr (requires { server.process_request(stream, last, closed, nullptr); })
    return server.process_request(stream, last, closed, nullptr);
  else
    return server.process_request(stream, {}, 0, {}, 0, last, closed, nullptr);
}

// Whatever a request makes of the parser, it ends its own connection and nothing else.
void BoundedServer::answer(int socket) {
  try {
    LimitedStream stream(socket);
    for (int count = 1; count <= kRequestsOfOne; ++count) {
      if (!stream.wait_for_request([this] { return ended_.load(); })) return;
      bool closed = false;
      if (!process_next(*this, stream, count == kRequestsOfOne, closed) || closed) return;
    }
  } catch (...) {
  }
}

}  // namespace firn::view

#endif
