// Which requests the server answers. A page of another origin must neither read from it nor steer
// it, whatever a browser lets that page send: the server's name is held to the loopback address
// (a name that an attacker has rebound to it is another one), the origin to the server's own, and
// all that tells of a run or acts on it needs a token that only the printed address has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace firn::view {

inline constexpr std::size_t kLargestBody = 8192;          // bytes of a request's content
inline constexpr std::size_t kLargestRequest = 64 * 1024;  // with its headers
inline constexpr std::size_t kMostPoints = 262144;         // of one answer
inline constexpr std::string_view kTokenHeader = "X-Firn-Token";

// 128 bits of the system's randomness as 32 hexadecimal digits. Throws Error{kFile} if it has none.
std::string new_token();

// In a time that does not tell where they differ.
bool same_token(std::string_view a, std::string_view b);

// What of a request the decision is made by. Headers that are missing are empty.
struct Request {
  std::string_view method, path;
  std::string_view host, origin, fetch_site, token, content_type, content_length;
  bool repeated = false;  // a header of these is there more than once
  bool encoded = false;   // its content is compressed or comes in chunks
};

struct Refusal {
  int status = 0;
  std::string why;
};

class Access {
 public:
  Access(int port, std::string token);
  // Why the request is not answered; empty: it is.
  std::optional<Refusal> refusal(const Request& request) const;
  const std::string& token() const { return token_; }

 private:
  bool is_own_name(std::string_view host) const;
  bool is_own_origin(std::string_view origin) const;

  std::string port_, token_;
};

// A whole number and nothing else; none if it is not one, or is beyond `most`.
std::optional<std::uint64_t> parse_count(std::string_view text, std::uint64_t most);

}  // namespace firn::view
