#include "src/view/server.h"

#include <fmt/format.h>

#include "firn/error.h"

#if defined(FIRN_WITH_VIEWER)

#include <csignal>
#include <thread>

#include "src/view/connections.h"
#include "src/view/limited_stream.h"
#include "src/view/page.h"
#include "src/view/requests.h"

namespace firn::view {
namespace {

constexpr std::chrono::milliseconds kLongestWait{10000};
constexpr std::size_t kMostAssignments = 64;

std::string_view type_of(std::string_view file) {
  if (file.ends_with(".html")) return "text/html; charset=utf-8";
  return file.ends_with(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8";
}

httplib::Headers common_headers() {
  return {{"Content-Security-Policy",
           "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
           "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
          {"X-Content-Type-Options", "nosniff"},
          {"Referrer-Policy", "no-referrer"},
          {"Cache-Control", "no-store"},
          {"Cross-Origin-Resource-Policy", "same-origin"},
          {"Cross-Origin-Opener-Policy", "same-origin"}};
}

void answer_json(httplib::Response& response, const Json& json, int status = 200) {
  response.status = status;
  response.set_content(json.dump(-1, ' ', false, Json::error_handler_t::replace),
                       "application/json");
}

void answer_error(httplib::Response& response, int status, const std::string& why) {
  answer_json(response, {{"error", why}}, status);
}

// None: a newer picture has taken the place of the one that was asked for. Nothing went wrong.
void answer_bytes(httplib::Response& response, std::optional<std::string> bytes) {
  if (bytes)
    response.set_content(std::move(*bytes), "application/octet-stream");
  else
    response.status = 204;
}

struct Part {
  std::uint64_t number = 0;  // of a picture
  std::size_t first = 0, count = 0;
};
// What is asked for; none, and that is the answer, where it is not understood.
std::optional<Part> part_of(const httplib::Request& request, httplib::Response& response) {
  const auto number = parse_count(request.get_param_value("picture"), UINT64_MAX);
  const auto first = parse_count(request.get_param_value("first"), UINT32_MAX);
  const auto count = parse_count(request.get_param_value("count"), kMostPoints);
  if (number && first && count) return Part{*number, *first, *count};
  answer_error(
      response, 400,
      fmt::format("picture, first and count must be counts, the last one at most {}", kMostPoints));
  return std::nullopt;
}

// The headers that decide, kept while a Request points at them.
struct Asked {
  explicit Asked(const httplib::Request& r)
      : host(take(r, "Host")),
        origin(take(r, "Origin")),
        fetch_site(take(r, "Sec-Fetch-Site")),
        token(take(r, kTokenHeader)),
        type(take(r, "Content-Type")),
        length(take(r, "Content-Length")),
        request{r.method,   r.path,
                host,       origin,
                fetch_site, token,
                type,       length,
                repeated,   r.has_header("Content-Encoding") || r.has_header("Transfer-Encoding")} {
  }

  std::string take(const httplib::Request& r, std::string_view name) {
    const std::string key(name);
    repeated = repeated || r.get_header_value_count(key) > 1;
    return r.get_header_value(key);
  }

  bool repeated = false;
  std::string host, origin, fetch_site, token, type, length;
  Request request;
};

std::vector<std::string> assignments_of(const Json& json) {
  std::vector<std::string> assignments;
  for (const Json& one : json.at("set")) {
    const auto text = one.get<std::string>();
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == text.npos || equals + 1 == text.size())
      throw Error(ErrorCategory::kScene, fmt::format("'{}' has no 'key=value' form", text));
    assignments.push_back(text);
  }
  if (assignments.size() > kMostAssignments)
    throw Error(ErrorCategory::kScene, fmt::format("more than {} keys at once", kMostAssignments));
  return assignments;
}

}  // namespace

void require_server() {}

class Server::Impl {
 public:
  Impl(int port, Session& session, Player& player)
      : session_(session), player_(player), access_(bind(port), new_token()) {
    server_.set_default_headers(common_headers());
    server_.set_payload_max_length(kLargestBody);
    server_.set_keep_alive_max_count(kRequestsOfOne);
    server_.set_keep_alive_timeout(kIdleSeconds);
    server_.set_tcp_nodelay(true);
    server_.set_pre_routing_handler(
        [this](const httplib::Request& r, httplib::Response& a) { return check(r, a); });
    server_.set_exception_handler(
        [](const httplib::Request&, httplib::Response& a, const std::exception_ptr&) {
          answer_error(a, 500, "the request could not be answered");
        });
    add_page();
    add_reading();
    add_tracers();
    add_surfaces();
    add_acting();
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    // What has not begun cannot be stopped.
    while (!server_.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  ~Impl() {
    session_.close();
    server_.end();
    server_.stop();
    thread_.join();
  }

  std::string address() const {
    return fmt::format("http://127.0.0.1:{}/#{}", port_, access_.token());
  }

 private:
  // Not by the options that the library sets, with which two servers may have one port, and each
  // gets a part of the requests.
  static void allow_soon_again(int socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  }
  int bind(int port) {
    server_.set_socket_options(allow_soon_again);
    if (port == 0)
      port_ = server_.bind_to_any_port("127.0.0.1");
    else
      port_ = server_.bind_to_port("127.0.0.1", port) ? port : -1;
    if (port_ <= 0)
      throw Error(ErrorCategory::kFile,
                  fmt::format("port {} of 127.0.0.1 cannot be served: another program has it, or "
                              "it is reserved; choose another one with --port, or leave it out",
                              port));
    return port_;
  }

  // Before any content is read: that of a request which is refused never is.
  httplib::Server::HandlerResponse check(const httplib::Request& r, httplib::Response& answer) {
    const Asked asked(r);
    const auto refusal = access_.refusal(asked.request);
    if (!refusal) return httplib::Server::HandlerResponse::Unhandled;
    answer_error(answer, refusal->status, refusal->why);
    answer.set_header("Connection", "close");
    return httplib::Server::HandlerResponse::Handled;
  }

  void add_page() {
    for (const PageFile& file : page_files()) {
      const auto send = [&file](const httplib::Request&, httplib::Response& answer) {
        answer.set_content(file.content.data(), file.content.size(),
                           std::string(type_of(file.name)));
      };
      server_.Get("/" + std::string(file.name), send);
      if (file.name == "index.html") server_.Get("/", send);
    }
  }

  void add_reading() {
    server_.Get("/api/scene", [this](const httplib::Request&, httplib::Response& answer) {
      answer_json(answer, session_.scene());
    });
    server_.Get("/api/solids", [this](const httplib::Request&, httplib::Response& answer) {
      answer.set_content(session_.solids(), "application/octet-stream");
    });
    server_.Get("/api/state", [this](const httplib::Request& r, httplib::Response& answer) {
      const auto version = parse_count(r.get_param_value("version"), UINT64_MAX);
      const auto rows = parse_count(r.get_param_value("rows"), UINT32_MAX);
      if (!version || !rows) return answer_error(answer, 400, "version and rows must be counts");
      answer_json(answer, session_.state(*version, *rows, kLongestWait));
    });
    server_.Get("/api/points", [this](const httplib::Request& r, httplib::Response& answer) {
      if (const auto part = part_of(r, answer))
        answer_bytes(answer, session_.points(part->number, r.get_param_value("channel"),
                                             part->first, part->count));
    });
  }

  void add_tracers() {
    server_.Get("/api/tracers", [this](const httplib::Request& r, httplib::Response& answer) {
      if (const auto part = part_of(r, answer))
        answer_bytes(answer, session_.tracers(part->number, part->first, part->count));
    });
  }

  void add_surfaces() {
    server_.Get("/api/surfaces", [this](const httplib::Request& r, httplib::Response& answer) {
      const auto number = parse_count(r.get_param_value("picture"), UINT64_MAX);
      const auto traced = parse_count(r.has_param("traced") ? r.get_param_value("traced") : "0", 1);
      if (!number || !traced)
        return answer_error(answer, 400, "picture must be a count, traced 0 or 1");
      answer_bytes(answer, session_.surfaces(*number, r.get_param_value("channel"), *traced == 1));
    });
  }

  void add_acting() {
    const auto act = [this](const char* path, void (Player::*action)()) {
      server_.Post(path, [this, action](const httplib::Request&, httplib::Response& answer) {
        try {
          (player_.*action)();
          answer_json(answer, Json::object());
        } catch (const Error& error) {
          answer_error(answer, 422, error.what());
        }
      });
    };
    act("/api/play", &Player::play);
    act("/api/pause", &Player::pause);
    act("/api/step", &Player::step);
    server_.Post("/api/set", [this](const httplib::Request& r, httplib::Response& answer) {
      set(r.body, answer);
    });
  }

  void set(const std::string& body, httplib::Response& answer) {
    const Json json = Json::parse(body, nullptr, false);
    try {
      player_.set(assignments_of(json), json.value("again", false));
      answer_json(answer, Json::object());
    } catch (const Error& error) {
      answer_error(answer, 422, error.what());
    } catch (const Json::exception&) {
      answer_error(answer, 400, "a list 'set' of \"key=value\" is needed");
    }
  }

  Session& session_;
  Player& player_;
  BoundedServer server_;
  int port_ = 0;
  Access access_;
  std::thread thread_;
};

namespace {

// cpp-httplib has the process ignore SIGPIPE when a server is made.
class KeepsSignals {
 public:
  KeepsSignals() { sigaction(SIGPIPE, nullptr, &old_); }
  ~KeepsSignals() { sigaction(SIGPIPE, &old_, nullptr); }

 private:
  struct sigaction old_ {};
};

}  // namespace

Server::Server(int port, Session& session, Player& player) {
  const KeepsSignals guard;
  impl_ = std::make_unique<Impl>(port, session, player);
}
Server::~Server() = default;
std::string Server::address() const { return impl_->address(); }

}  // namespace firn::view

#else

namespace firn::view {

void require_server() {
  throw Error(ErrorCategory::kScene,
              "firn view: built without cpp-httplib (configure with -DFIRN_WITH_VIEWER=ON)");
}

class Server::Impl {};
Server::Server(int, Session&, Player&) { require_server(); }
Server::~Server() = default;
std::string Server::address() const { return ""; }

}  // namespace firn::view

#endif
