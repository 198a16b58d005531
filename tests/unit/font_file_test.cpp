#include "src/scene/font_file.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace firn {
namespace {

TEST(FontFile, IsOfTheFamilyOrNone) {
  const auto font = find_font_file("DejaVu Sans");
#if FIRN_WITH_TEXT
  if (!font) GTEST_SKIP() << "this machine has no DejaVu Sans";
  EXPECT_TRUE(std::filesystem::is_regular_file(*font)) << *font;
  EXPECT_EQ(std::filesystem::path(*font).stem(), "DejaVuSans");  // not bold, not mono
  EXPECT_EQ(find_font_file("dejavu sans"), font);
#else
  EXPECT_FALSE(font);
#endif
}

TEST(FontFile, NoOtherFamilyStandsInForOneThatIsMissing) {
  EXPECT_FALSE(find_font_file("No Font Has This Name"));
}

}  // namespace
}  // namespace firn
