// What a scene may say, as data: a table of a scene file is a list of rows, one for each key. The
// parser reads by these rows, and the reference and the JSON Schema of `firn schema` are made of
// them, so a key is documented where its range and its words are taken from.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/scene/document.h"

namespace firn::scene {

struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false, high_open = false;

  static constexpr Range any() { return {}; }
  static constexpr Range positive() { return {.low = 0, .low_open = true}; }
  static constexpr Range non_negative() { return {.low = 0}; }
  static constexpr Range closed(double low, double high) { return {low, high, false, false}; }
  static constexpr Range left_open(double low, double high) { return {low, high, true, false}; }
  static constexpr Range right_open(double low, double high) { return {low, high, false, true}; }
  static constexpr Range open(double low, double high) { return {low, high, true, true}; }

  bool contains(double value) const;
  std::string text() const;  // "> 0", "in [0, 0.5)", ...
};

// A word of a choice and the value that it stands for.
template <class E>
struct Choice {
  std::string_view name;
  E value;
  std::string_view about = {};
};

struct Word {
  std::string_view name, about;
};

// A word that a later version may honour, and what to do instead.
struct Unavailable {
  std::string_view name, instead;
};

enum class Kind {
  kOfMember,  // what the type of the member says
  kBoolean,
  kInteger,
  kNumber,
  kAngle,  // degrees in the file, radians in the scene
  kString,
  kChoice,       // one of `words`
  kVector,       // `dimension` entries
  kDirection,    // the same, not zero; becomes a unit vector
  kRotation,     // three angles in degrees; 2D: one, about z
  kSpin,         // three numbers; 2D: one, about z
  kCorner,       // of a rectangle in x and z: two numbers; 2D: one
  kColor,        // red, green, blue in [0, 1]
  kField,        // a number, or an expression of `variables`
  kVectorField,  // `dimension` of them
  kTable,
  kNamedTables,  // [material.NAME]
  kSame,         // what the key takes that this table stands for
  kReserved,     // a word of later versions: always a finding
};

// The settings of a scene under which a key means something; elsewhere it is a finding.
enum class Under : unsigned {
  kExplicit = 1,
  kIncompressible = 2,
  kNoHeat = 4,  // integrator = "thermal" with thermal.heat = false
  kHeat = 8,    // integrator = "thermal" otherwise
  kOptimization = 16,
  kLinear = 32,  // integrator = "semi_implicit"
  kImplicit = kOptimization | kLinear,
  kThermal = kNoHeat | kHeat,
  kMoved = kExplicit | kIncompressible,  // material moves colliders
  kNodal = kExplicit | kImplicit,        // velocities live on nodes
  kNotIncompressible = kNodal | kThermal,
  kAny = 63,
};
constexpr bool includes(Under settings, Under one) {
  return (static_cast<unsigned>(settings) & static_cast<unsigned>(one)) != 0;
}

struct Count {
  std::size_t least = 0, most = std::numeric_limits<std::size_t>::max();
};

struct Key;
struct Table;
class TableReader;

// What rows say beside name and meaning, in this order.
struct KeyDetails {
  Kind kind = Kind::kOfMember;
  std::string_view unit = {};
  Range range = {};
  std::optional<Range> thermal_range = {};  // in place of `range` with integrator = "thermal"
  std::optional<Count> list = {};           // an array of so many
  bool required = false;
  std::string_view stand_in = {};  // the key that may be given in place of this one, also if that
                                   // is required
  Under under = Under::kAny;
  bool in_2d = true;
  std::span<const Word> words = {};
  std::vector<Word> (*more_words)() = nullptr;  // those that are known when the program runs
  std::span<const Unavailable> unavailable = {};
  std::string_view variables = "xyzt";  // of an expression
  const Table* table = nullptr;
  const Key* also = nullptr;        // another form that the value may have
  std::string_view otherwise = {};  // what holds without the key, where no member says it
  bool by_hand = false;             // read by code of its own, not by TableReader::read_members
  std::string_view since = "0.1";
  // The member's value in `owner`, or its default (null); nothing if it has none.
  std::optional<Node> (*value)(const Key&, const void* owner) = nullptr;
};

struct Key : KeyDetails {
  std::string_view name, about;
  const void* owner = nullptr;  // &kOwner<S> of the struct S that it is a member of
  // Null if it is read by hand.
  void (*read)(TableReader&, const Key&, void* owner) = nullptr;
  // The member as a file says it, or (null) that of a default S; nothing if a file leaves it out.
  std::optional<Node> (*written)(const Key&, const void* owner) = nullptr;

  std::vector<Word> all_words() const;
};

// What a table has more, by the word of its key `type`.
struct Subtype {
  std::string_view name, about;
  bool in_2d = true;
  const Table* table = nullptr;
};

struct Table {
  std::string_view name;  // "[time]", "[[body]]", "grid.domain"
  std::string_view about;
  std::span<const Key> keys;
  std::span<const Subtype> types = {};

  const Key* find(std::string_view key) const;
};

std::vector<std::string_view> names_of(std::span<const Word> words);

// The tables of a scene file; each is defined beside the code that reads it.
extern const Table kScene;  // the root: all others can be reached from it
extern const Table kSimulation, kTransfer, kTime, kGrid, kDomain, kFaces, kFluid, kTracers;
extern const Table kThermal, kSolve, kHeatSource, kImplicit;
extern const Table kMaterial, kPhaseValues;
extern const Table kShape, kBody, kSource, kSink, kForce, kContact, kCollider, kMotion, kSensor,
    kPlace;
extern const Table kInstances;
extern const Table kOutput, kCamera, kCameraMotion, kDiagnostics;

}  // namespace firn::scene
