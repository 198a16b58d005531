// The HTTP server of `firn view`: the page, and what it asks for, to programs of this machine alone
// (127.0.0.1). docs/view.md has the addresses; src/view/requests.h says what is refused.
#pragma once

#include <memory>
#include <string>

#include "src/view/player.h"
#include "src/view/session.h"

namespace firn::view {

// Throws Error{kScene} that says how to mend it in a build without the HTTP library.
void require_server();

class Server {
 public:
  // Binds and begins to answer. `port` 0: one that is free. Throws Error{kFile} if the port is
  // taken, and as require_server. Session and player must outlive it.
  Server(int port, Session& session, Player& player);
  ~Server();  // waits for the answers that are under way
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // With the token behind the #, which browsers do not send to servers.
  std::string address() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace firn::view
