// The table of all arithmetic, and what its operations cost on hardware.
#include "table.h"

namespace emulator::core {

namespace {

// About how many instructions a GPU issues for one of PTX, where they are several: from the code
// that ptxas makes for such operations on recent devices, without their rare branches.
void weigh(Table& t) {
  const std::pair<const char*, int> weights[] = {
      {"div.rn.f32", 9}, {"rcp.rn.f32", 6},  {"sqrt.rn.f32", 8}, {"div.rn.f64", 11},
      {"rcp.rn.f64", 7}, {"sqrt.rn.f64", 9}, {"div.u32", 16},    {"div.s32", 20},
      {"rem.u32", 18},   {"rem.s32", 22},    {"div.u64", 70},    {"div.s64", 80},
      {"rem.u64", 70},   {"rem.s64", 80},    {"mul.lo.s64", 4},  {"mul.lo.u64", 4},
      {"mul.hi.u64", 8}, {"mul.hi.s64", 8},  {"mad.lo.s64", 5}};
  for (const auto& [name, weight] : weights)
    if (const auto found = t.operations.find(name); found != t.operations.end())
      found->second.weight = static_cast<u8>(weight);
  for (auto& [name, operation] : t.operations)  // 64-bit integers are pairs of 32-bit ones
    if (operation.cls == Class::kInt64 && operation.weight == 1 && !name.starts_with("mov") &&
        !name.starts_with("cvta"))
      operation.weight = 2;
  for (const char* name : {"popc.b32", "clz.b32", "brev.b32", "bfind.u32"})
    t.operations[name].cls = Class::kSpecial;
}

Table make_table() {
  Table t;
  put_integers(t);
  put_comparisons(t);
  put_floats(t);
  put_conversions(t);
  put_moves(t);
  put_warp_operations(t);
  weigh(t);
  return t;
}

}  // namespace

const Operation* find_operation(std::string_view name) {
  // Never destroyed: kernels may be launched while a program ends.
  static const Table& table = *new Table(make_table());
  const auto found = table.operations.find(std::string(name));
  return found == table.operations.end() ? nullptr : &found->second;
}

}  // namespace emulator::core
