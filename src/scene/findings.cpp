// Collecting, ordering and wording of findings, and the edit distance behind "did you mean".
#include "src/scene/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace firn::scene {
namespace {

constexpr std::size_t kLongestExcerpt = 80, kLongestMessage = 800, kMostShown = 20;

std::string cut(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return std::string(text);
  while (longest > 0 && (text[longest] & 0xc0) == 0x80) --longest;  // no half of a UTF-8 character
  return std::string(text.substr(0, longest)) + "...";
}

// Keys and values of a scene may hold any character; a finding stays one printable line.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      line += fmt::format("\\x{:02x}", byte);
    } else {
      line += c;
    }
  }
  return line;
}

// Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours count one
// each, since a swap is the commonest slip of the fingers.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({substituted, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = last;
    last = row;
  }
  return last[b.size()];
}

}  // namespace

std::string excerpt(std::string_view input) { return one_line(cut(input, kLongestExcerpt)); }

std::string to_string(const Location& where) {
  if (where.line == 0) return where.source;
  return fmt::format("{}:{}:{}", where.source, where.line, where.column);
}

void Findings::add(const Location& where, std::string_view message, ErrorCategory category) {
  findings_.push_back(
      {where,
       one_line(fmt::format("{}: {}{}", to_string(where), cut(message, kLongestMessage), about_)),
       category});
}

void Findings::throw_if_any() const {
  if (findings_.empty()) return;
  std::vector<Finding> ordered = findings_;
  std::stable_sort(ordered.begin(), ordered.end(), [](const Finding& a, const Finding& b) {
    return std::tie(a.where.from_override, a.where.line, a.where.column) <
           std::tie(b.where.from_override, b.where.line, b.where.column);
  });
  std::string text;
  bool only_files = true;
  for (const Finding& finding : ordered)
    only_files = only_files && finding.category == ErrorCategory::kFile;
  const std::size_t shown = std::min(ordered.size(), kMostShown);
  for (std::size_t i = 0; i < shown; ++i) text += (i > 0 ? "\n" : "") + ordered[i].text;
  if (shown < ordered.size())
    text += fmt::format("\n... and {} more; mend these first", ordered.size() - shown);
  throw Error(only_files ? ErrorCategory::kFile : ErrorCategory::kScene, text);
}

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
  constexpr std::size_t kLongestWord = 64;  // longer ones are no typing mistakes
  if (word.size() > kLongestWord) return {};
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, const std::vector<std::string_view>& candidates) {
  const std::string_view best = nearest(word, candidates);
  return best.empty() ? std::string{} : fmt::format("; did you mean '{}'?", best);
}

std::string list_of(const std::vector<std::string_view>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace firn::scene
