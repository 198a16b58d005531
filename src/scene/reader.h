// Typed access to the tables of a document. A TableReader takes the keys it knows out of one table,
// checks type and range of each, and at the end reports what it was not asked for. A value that
// fails its checks becomes a finding and leaves the member it was read into untouched, so reading
// always goes on to the end of the scene.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firn/scene.h"
#include "src/scene/document.h"

namespace firn::scene {

struct ReadContext {
  Findings& findings;
  int dimension = 3;  // 0 while the scene's own `dimension` is not a valid one: vectors may then
                      // have 2 or 3 entries
  bool is_2d() const { return dimension == 2; }
};

struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false, high_open = false;

  static Range any() { return {}; }
  static Range positive() { return {0, std::numeric_limits<double>::infinity(), true, false}; }
  static Range non_negative() { return {0, std::numeric_limits<double>::infinity(), false, false}; }
  static Range closed(double low, double high) { return {low, high, false, false}; }
  static Range left_open(double low, double high) { return {low, high, true, false}; }
  static Range right_open(double low, double high) { return {low, high, false, true}; }
  static Range open(double low, double high) { return {low, high, true, true}; }

  bool contains(double value) const;
  std::string text() const;  // "> 0", "in [0, 0.5)", ...
};

template <class E>
struct Choice {
  std::string_view name;
  E value;
};

// A word that SCENES knows but this version cannot honour, and what to do instead.
struct Unavailable {
  std::string_view name, instead;
};

double radians(double degrees);

class TableReader {
 public:
  // `label` names the table in messages: "[grid]", "body 'ball'". A node that is no table is a
  // finding.
  TableReader(const Node& table, std::string label, ReadContext& context);

  // Looks a key up and counts it as known from now on.
  const Node* find(std::string_view key);
  // As find; a missing key is a finding.
  const Node* require(std::string_view key);
  // A key that means something elsewhere: a finding with the reason if it is there.
  void refuse(std::string_view key, std::string_view reason);
  // Reports the keys that were never asked for.
  void finish();

  // Each returns whether the key was there and valid, and only then writes `out`.
  bool boolean(std::string_view key, bool& out);
  bool number(std::string_view key, double& out, const Range& range = Range::any());
  bool angle(std::string_view key, double& out, const Range& degrees = Range::any());
  bool string(std::string_view key, std::string& out);
  bool strings(std::string_view key, std::vector<std::string>& out,
               const std::vector<std::string_view>& allowed,
               std::span<const Unavailable> unavailable = {});
  bool vector(std::string_view key, Vec3& out);     // `dimension` entries
  bool direction(std::string_view key, Vec3& out);  // the same, not zero; normalised
  bool rotation(std::string_view key, Vec3& out);   // degrees; 2D: one number, about z
  bool color(std::string_view key, Vec3& out);      // three entries in [0, 1]
  // A number in `range`, or an expression of the letters in `variables`.
  bool field(std::string_view key, ScalarField& out, std::string_view variables = "xyzt",
             const Range& range = Range::any());
  bool field(std::string_view key, VectorField& out);

  template <std::integral I>
  bool integer(std::string_view key, I& out, std::int64_t low, std::int64_t high) {
    std::int64_t value = 0;
    if (!read_integer(key, value, low, high)) return false;
    out = static_cast<I>(value);
    return true;
  }

  template <class E>
  bool choice(std::string_view key, E& out, std::span<const Choice<E>> choices,
              std::span<const Unavailable> unavailable = {}) {
    std::vector<std::string_view> names;
    for (const Choice<E>& choice : choices) names.push_back(choice.name);
    std::size_t index = 0;
    if (!choose(key, index, names, unavailable)) return false;
    out = choices[index].value;
    return true;
  }

  void fail(const Node& node, std::string_view message) {
    context_.findings.add(node.where, message);
  }
  void fail(std::string_view key,
            std::string_view message);  // at the key's value, or at the table if it is absent
  const Node& node() const { return table_; }
  const std::string& label() const { return label_; }
  ReadContext& context() { return context_; }

 private:
  bool read_integer(std::string_view key, std::int64_t& out, std::int64_t low, std::int64_t high);
  bool choose(std::string_view key, std::size_t& index, const std::vector<std::string_view>& names,
              std::span<const Unavailable> unavailable);

  const Node& table_;
  std::string label_;
  ReadContext& context_;
  std::vector<std::string_view> known_;
};

// The same checks for values that are no direct member of a table; `what` names the value in
// messages.
bool read_type(const Node& node, NodeType type, std::string_view what, ReadContext& context);
bool read_number(const Node& node, std::string_view what, const Range& range, double& out,
                 ReadContext& context);
bool read_field(const Node& node, std::string_view what, ScalarField& out, ReadContext& context,
                std::string_view variables = "xyzt", const Range& range = Range::any());
bool read_vector(const Node& node, std::string_view what, Vec3& out, ReadContext& context);
bool read_rotation(const Node& node, std::string_view what, Vec3& out, ReadContext& context);
// Index of the string among `names`; a miss is a finding.
bool read_choice(const Node& node, std::string_view what,
                 const std::vector<std::string_view>& names,
                 std::span<const Unavailable> unavailable, std::size_t& index,
                 ReadContext& context);

}  // namespace firn::scene
