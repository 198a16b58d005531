#include "src/view/requests.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <utility>

#include "src/io/posix_file.h"

namespace firn::view {

namespace {

constexpr std::string_view kPortOfHttp = "80";  // which browsers leave out

}  // namespace

std::string new_token() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw file_error("the system's random numbers", "read", errno);
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

bool same_token(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  volatile unsigned char differing = 0;  // volatile: no loop that ends early may stand for this one
  for (std::size_t i = 0; i < a.size(); ++i)
    differing = static_cast<unsigned char>(differing | (a[i] ^ b[i]));
  return differing == 0;
}

Access::Access(int port, std::string token)
    : port_(std::to_string(port)), token_(std::move(token)) {}

bool Access::is_own_name(std::string_view host) const {
  for (const std::string_view name : {"127.0.0.1", "localhost"})
    if (host == fmt::format("{}:{}", name, port_) || (port_ == kPortOfHttp && host == name))
      return true;
  return false;
}

bool Access::is_own_origin(std::string_view origin) const {
  constexpr std::string_view kScheme = "http://";
  return origin.starts_with(kScheme) && is_own_name(origin.substr(kScheme.size()));
}

std::optional<Refusal> Access::refusal(const Request& request) const {
  if (request.repeated) return Refusal{400, "a header is there more than once"};
  if (!is_own_name(request.host))
    return Refusal{403, "this server answers to the address that 'firn view' printed alone"};
  if (!request.origin.empty() && !is_own_origin(request.origin))
    return Refusal{403, "requests of other pages are refused"};
  const bool from_elsewhere =
      request.fetch_site == "cross-site" || request.fetch_site == "same-site";
  const bool acts = request.path.starts_with("/api/");
  if (from_elsewhere && acts) return Refusal{403, "requests of other pages are refused"};
  if (request.method != "GET" && request.method != "POST")
    return Refusal{405, "only GET and POST are understood"};
  if (acts && !same_token(request.token, token_))
    return Refusal{401, "the token is missing or wrong: open the address that 'firn view' printed"};
  if (request.encoded) return Refusal{415, "content must be plain, and as long as it says"};
  if (request.method == "GET") {
    if (!request.content_length.empty() && request.content_length != "0")
      return Refusal{400, "GET takes no content"};
    return std::nullopt;
  }
  if (!acts) return Refusal{405, "there is nothing to send to"};
  if (!parse_count(request.content_length, kLargestBody))
    return Refusal{413,
                   fmt::format("the length of the content must be given, and be at most {} bytes",
                               kLargestBody)};
  if (request.content_type != "application/json")
    return Refusal{415, "content must be application/json"};
  return std::nullopt;
}

std::optional<std::uint64_t> parse_count(std::string_view text, std::uint64_t most) {
  std::uint64_t value = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || rest != text.data() + text.size() || value > most)
    return std::nullopt;
  return value;
}

}  // namespace firn::view
