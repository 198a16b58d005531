#include "src/scene/mesh_sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <limits>
#include <mutex>
#include <optional>

#include "firn/error.h"
#include "src/scene/mesh_seams.h"

namespace firn {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct NumberPlace {
  std::size_t begin, end;  // of %d or %04d
  int digits;
};

// The last one: folders above may have names with a % of their own.
std::optional<NumberPlace> number_place(std::string_view pattern) {
  const std::string_view name = pattern.substr(pattern.rfind('/') + 1);
  if (std::count(name.begin(), name.end(), '%') > 1) return std::nullopt;
  for (std::size_t begin = pattern.rfind('%'); begin != std::string_view::npos;
       begin = begin == 0 ? std::string_view::npos : pattern.rfind('%', begin - 1)) {
    std::size_t at = begin + 1;
    int digits = 0;
    if (at + 2 < pattern.size() && pattern[at] == '0' &&
        std::isdigit(static_cast<unsigned char>(pattern[at + 1])) != 0) {
      digits = pattern[at + 1] - '0';
      at += 2;
    }
    if (at < pattern.size() && pattern[at] == 'd') return NumberPlace{begin, at + 1, digits};
  }
  return std::nullopt;
}

[[noreturn]] void fail(const std::string& file, const std::string& why) {
  throw Error(ErrorCategory::kFile, fmt::format("{}: {}", file, why));
}

void require_same(const MeshSequence& sequence, const TriangleMesh& mesh, const std::string& first,
                  const std::string& file) {
  const std::size_t vertices = sequence.vertices[0].size();
  constexpr std::string_view kMend =
      "; in all meshes of a sequence vertices move and faces stay: export them from one mesh";
  if (mesh.vertices.size() != vertices)
    fail(file, fmt::format("it has {} vertices and {} has {}{}", mesh.vertices.size(), first,
                           vertices, kMend));
  if (mesh.triangles.size() != sequence.triangles.size())
    fail(file, fmt::format("it has {} triangles and {} has {}{}", mesh.triangles.size(), first,
                           sequence.triangles.size(), kMend));
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
    if (mesh.triangles[i] != sequence.triangles[i])
      fail(file,
           fmt::format("its triangle {} has other corners than that of {}{}", i + 1, first, kMend));
}

MeshSequence load(const std::vector<std::string>& files) {
  MeshSequence sequence;
  for (const std::string& file : files) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored))
      fail(file, "the sequence has no such file; export it, or change 'first' and 'last'");
    TriangleMesh mesh = load_mesh(file, /*fans=*/true);
    if (sequence.vertices.empty())
      sequence.triangles = mesh.triangles;
    else
      require_same(sequence, mesh, files[0], file);
    sequence.vertices.push_back(std::move(mesh.vertices));
  }
  close_seams(sequence.triangles, sequence.vertices);
  return sequence;
}

std::vector<std::filesystem::file_time_type> times_of(const std::vector<std::string>& files) {
  std::vector<std::filesystem::file_time_type> times;
  times.reserve(files.size());
  std::error_code ignored;
  for (const std::string& file : files)
    times.push_back(std::filesystem::last_write_time(file, ignored));
  return times;
}

}  // namespace

bool is_numbered(std::string_view pattern) { return number_place(pattern).has_value(); }

std::string numbered_file(std::string_view pattern, int number) {
  const NumberPlace place = number_place(pattern).value();
  return fmt::format("{}{:0{}}{}", pattern.substr(0, place.begin), number, place.digits,
                     pattern.substr(place.end));
}

std::vector<std::string> sequence_files(const Shape& shape) {
  std::vector<std::string> files;
  if (!is_numbered(shape.file)) return files;
  for (int i = shape.first; i <= shape.last; ++i) files.push_back(numbered_file(shape.file, i));
  return files;
}

// The last one only: a sequence may be large.
std::shared_ptr<const MeshSequence> cached_sequence(const Shape& shape) {
  struct Kept {
    std::vector<std::string> files;
    std::vector<std::filesystem::file_time_type> times;
    std::shared_ptr<const MeshSequence> sequence;
  };
  static std::mutex mutex;
  static Kept kept;
  std::vector<std::string> files = sequence_files(shape);
  if (files.size() < 2)
    throw Error(
        ErrorCategory::kScene,
        "shape: a mesh_sequence needs two or more files: a 'file' with %d or %04d where the "
        "number stands, and last > first");
  std::vector<std::filesystem::file_time_type> times = times_of(files);
  const std::lock_guard lock(mutex);
  if (kept.files != files || kept.times != times) {
    auto sequence = std::make_shared<const MeshSequence>(load(files));
    kept = {std::move(files), std::move(times), std::move(sequence)};
  }
  return kept.sequence;
}

SequenceInterval interval_at(const Shape& shape, double time) {
  const auto count = static_cast<std::int64_t>(shape.last) - shape.first + 1;
  const auto begin_of = [&](std::int64_t i) {
    return shape.start + static_cast<double>(i) / shape.fps;
  };
  if (!(time >= shape.start)) return {-kInfinity, shape.start, 0, 0};
  const auto last = static_cast<std::size_t>(count - 1);
  if (!shape.loop && time >= begin_of(count - 1))
    return {begin_of(count - 1), kInfinity, last, last};
  auto i = static_cast<std::int64_t>((time - shape.start) * shape.fps);
  while (begin_of(i + 1) <= time) ++i;  // by rounding
  while (begin_of(i) > time) --i;
  const auto mesh = [&](std::int64_t k) { return static_cast<std::size_t>(k % count); };
  return {begin_of(i), begin_of(i + 1), mesh(i), mesh(i + 1)};
}

std::vector<Vec3> vertices_at(const MeshSequence& sequence, const SequenceInterval& interval,
                              double part) {
  std::vector<Vec3> vertices = sequence.vertices[interval.from];
  if (interval.rests() || part == 0) return vertices;
  const std::vector<Vec3>& next = sequence.vertices[interval.to];
  for (std::size_t i = 0; i < vertices.size(); ++i)
    for (std::size_t a = 0; a < 3; ++a) vertices[i][a] += part * (next[i][a] - vertices[i][a]);
  return vertices;
}

}  // namespace firn
