// The three readers of meshes: whatever the bytes, they return a mesh whose indices are in range or
// throw Error. The first byte chooses: 0 OBJ, 1 PLY, 2 STL.
#include <cstdint>
#include <cstdlib>

#include "firn/error.h"
#include "src/scene/mesh.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    const firn::TriangleMesh mesh = data[0] % 3 == 0   ? firn::parse_obj(bytes, "input")
                                    : data[0] % 3 == 1 ? firn::parse_ply(bytes, "input")
                                                       : firn::parse_stl(bytes, "input");
    for (const auto& t : mesh.triangles)
      for (std::uint32_t i : t)
        if (i >= mesh.vertices.size()) std::abort();
    firn::inspect(mesh, "input");
  } catch (const firn::Error&) {
  }
  return 0;
}
