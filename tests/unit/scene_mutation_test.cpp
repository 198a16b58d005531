// Stock scenes with something wrong in them, 2 000 times: whatever stands in a file, reading it
// ends in a scene or in findings that say where.
#include <gtest/gtest.h>

#include <cctype>
#include <chrono>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "firn/error.h"
#include "firn/scene_file.h"
#include "tests/support/stock_scenes.h"

namespace firn {
namespace {

constexpr unsigned kSeed = 20240607;
constexpr int kMutations = 2000;

class Mutator {
 public:
  explicit Mutator(std::uint32_t seed) : random_(seed) {}

  std::string operator()(std::string text) {
    for (std::size_t n = 1 + below(3); n > 0; --n) mutate(text);
    return text;
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }

  void mutate(std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    if (lines.empty()) return;
    std::string& line = lines[below(lines.size())];
    const std::size_t equals = line.find('=');
    switch (below(8)) {
      case 0:
        line.clear();
        break;
      case 1:
        line += "\n" + line;
        break;
      case 2:
        line.insert(below(line.size() + 1), 1, static_cast<char>(below(256)));
        break;
      case 3:
        line.resize(below(line.size() + 1));
        break;
      case 4:
        if (equals != std::string::npos) line = std::string(20000, 'k') + line.substr(equals);
        break;
      default:
        if (equals != std::string::npos) line = line.substr(0, equals + 1) + " " + value();
    }
    text.clear();
    for (const std::string& l : lines) text += l + "\n";
  }

  std::string value() {
    static const std::vector<std::string> kValues = {"0",
                                                     "-1",
                                                     "1e300",
                                                     "-1e-300",
                                                     "nan",
                                                     "inf",
                                                     "9223372036854775807",
                                                     "99999999999999999999",
                                                     "1e20",
                                                     "true",
                                                     "\"\"",
                                                     "\"text\"",
                                                     "\"x + y * t\"",
                                                     "\"\\u0000\"",
                                                     "\"\xff\xfe\"",
                                                     "1979-05-27",
                                                     "[]",
                                                     "[1]",
                                                     "[1, 2, 3]",
                                                     "[1e300, -1e300, nan]",
                                                     "[[1, 2], [3, 4]]",
                                                     "{}",
                                                     "{ type = \"sphere\" }",
                                                     "{ a = { b = { c = [{}] } } }"};
    const std::size_t i = below(kValues.size() + 1);
    return i < kValues.size() ? kValues[i] : '"' + std::string(100000, 'x') + '"';
  }

  std::mt19937 random_;
};

std::string text_of(const std::string& name) {
  std::ifstream file(std::string(FIRN_SOURCE_DIR) + "/scenes/" + name + ".toml");
  return {std::istreambuf_iterator<char>(file), {}};
}

// "file:line:column: " stands before every finding but the count of those that are left out.
void expect_places(const std::string& message) {
  std::istringstream lines(message);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("... and ")) continue;
    EXPECT_TRUE(line.starts_with("mutant.toml:") && std::isdigit(line[12])) << line.substr(0, 200);
    EXPECT_LT(line.size(), 1000u) << line.substr(0, 200);
  }
}

TEST(SceneMutation, EndsInASceneOrInFindingsThatSayWhere) {
  using Clock = std::chrono::steady_clock;
  const std::vector<std::string> names = test::scene_names();
  int accepted = 0;
  for (std::uint32_t i = 0; i < kMutations; ++i) {
    const std::string& name = names[i % names.size()];
    SCOPED_TRACE(name + ", mutation " + std::to_string(i));
    const std::string text = Mutator(kSeed + i)(text_of(name));
    const auto start = Clock::now();
    try {
      const Scene scene = parse_scene(text, "mutant.toml", FIRN_SOURCE_DIR "/scenes");
      ++accepted;
      EXPECT_NO_THROW(validate(scene));  // what a file may say a scene in code may be
    } catch (const Error& error) {
      expect_places(error.what());
    }
    EXPECT_LT(std::chrono::duration<double>(Clock::now() - start).count(), 5);
  }
  EXPECT_GT(accepted, kMutations / 20);
  EXPECT_LT(accepted, kMutations / 2);
}

}  // namespace
}  // namespace firn
