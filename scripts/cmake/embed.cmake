# Writes OUTPUT, a source file with the contents of FILES (separated by |): cmake -DOUTPUT=... -DFILES=... -P embed.cmake
string(REPLACE "|" ";" FILES "${FILES}")
set(arrays "")
set(table "")
set(number 0)
foreach(file IN LISTS FILES)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
  string(REGEX REPLACE "(('[^']*',){16})" "\\1\n    " bytes "${bytes}")
  get_filename_component(name ${file} NAME)
  string(APPEND arrays "constexpr char kFile${number}[] = {\n    ${bytes}\n};\n")
  string(APPEND table "    {\"${name}\", {kFile${number}, sizeof(kFile${number})}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "// Written by scripts/cmake/embed.cmake.
#include \"src/view/page.h\"

namespace firn::view {
namespace {
${arrays}
constexpr PageFile kFiles[] = {
${table}};
}  // namespace

std::span<const PageFile> page_files() { return kFiles; }

}  // namespace firn::view
")
