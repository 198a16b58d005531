// Loads, stores, atomics and barriers.
#include "decoder.h"

namespace emulator::core {

Decoder::MemorySuffixes Decoder::suffixes(const std::vector<std::string_view>& parts) const {
  static const std::unordered_map<std::string_view, Space> spaces{
      {"global", Space::kGlobal},     {"shared", Space::kShared}, {"shared::cta", Space::kShared},
      {"local", Space::kLocal},       {"param", Space::kParam},   {"param::entry", Space::kParam},
      {"param::func", Space::kParam}, {"const", Space::kGlobal}};
  static const std::unordered_map<std::string_view, int> ignored{
      {"weak", 0}, {"cta", 0}, {"gpu", 0}, {"sys", 0},     {"cluster", 0},
      {"ca", 0},   {"cg", 0},  {"cs", 0},  {"lu", 0},      {"cv", 0},
      {"wb", 0},   {"wt", 0},  {"nc", 0},  {"unified", 0}, {"noftz", 0}};
  static const std::unordered_map<std::string_view, int> strong{
      {"volatile", 0}, {"relaxed", 0}, {"acquire", 0}, {"release", 0}, {"acq_rel", 0}, {"mmio", 0}};
  static const std::unordered_map<std::string_view, int> operations{
      {"add", 0}, {"min", 0}, {"max", 0}, {"and", 0},  {"or", 0},
      {"xor", 0}, {"inc", 0}, {"dec", 0}, {"exch", 0}, {"cas", 0}};
  MemorySuffixes s;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::string_view p = parts[i];
    if (const auto found = spaces.find(p); found != spaces.end())
      s.space = found->second;
    else if (strong.count(p) != 0)
      s.strong = true;
    else if (operations.count(p) != 0)
      s.operation = p;
    else if (p == "v2" || p == "v4" || p == "v8")
      s.vector = p[1] - '0';
    else if (i + 1 == parts.size())
      s.type = p;
    else if (ignored.count(p) == 0 && !p.starts_with("L1::") && !p.starts_with("L2::"))
      refuse(line_, "unknown suffix '." + std::string(p) + "' of an access to memory");
  }
  return s;
}

void Decoder::put_address(Instruction& in, const Operand& o, Space& space) {
  if (o.kind != Operand::kAddress) refuse(line_, "an address was expected");
  in.base = o.id;
  in.base_slot = o.id == kNone ? Slot::kNone : virtuals_[o.id].slot;
  in.immediate = static_cast<std::int64_t>(o.value);
  // Parameters of functions that are expanded in place are local memory.
  if (space == Space::kParam && (o.space ? *o.space == Space::kLocal : depth_ > 0))
    space = Space::kLocal;
  if (space == Space::kGeneric && o.space) space = *o.space;
}

void Decoder::load_store(const std::vector<std::string_view>& parts,
                         const std::vector<Operand>& list) {
  const MemorySuffixes s = suffixes(parts);
  const bool store = parts[0] == "st";
  if (list.size() < 2) refuse(line_, "an operand is missing");
  const Operand &where = list[store ? 0 : 1], &what = list[store ? 1 : 0];
  Instruction in;
  Space space = s.space.value_or(Space::kGeneric);
  put_address(in, where, space);
  const Slot wide = bytes_of_type("." + std::string(s.type), line_) == 8 ? Slot::k64 : Slot::k32;
  Slot slot = slot_of(what, wide);
  if (what.kind == Operand::kVector)  // an immediate or a sink may come first
    for (const Operand& e : what.elements)
      if (slot_of(e, Slot::kNone) != Slot::kNone) slot = slot_of(e, wide);
  MemoryForm form{
      store ? MemoryForm::kStore : MemoryForm::kLoad, space, s.type, {}, slot, s.vector};
  finish(in, form, s, what, store);
}

void Decoder::atomic(const std::vector<std::string_view>& parts, const std::vector<Operand>& list) {
  MemorySuffixes s = suffixes(parts);
  const bool returns = parts[0] == "atom";
  Instruction in;
  Space space = s.space.value_or(Space::kGeneric);
  put_address(in, list.at(returns ? 1 : 0), space);
  const bool wide = bytes_of_type("." + std::string(s.type), line_) == 8;
  const Slot slot = wide ? Slot::k64 : Slot::k32;
  MemoryForm form{returns ? MemoryForm::kAtomic : MemoryForm::kReduce,
                  space,
                  s.type,
                  s.operation,
                  slot,
                  s.vector};
  if (returns) put_data(in, list[0], slot, true);
  s.strong = true;
  for (std::size_t k = returns ? 2 : 1; k + 1 < list.size(); ++k)
    put_data(in, list[k], slot, false);
  finish(in, form, s, list.back(), true);
}

void Decoder::put_data(Instruction& in, const Operand& what, Slot slot, bool writes) {
  if (what.kind == Operand::kVector)
    for (const Operand& e : what.elements) put_data(in, e, slot, writes);
  else
    add(in, writes ? destination(what, slot) : source(what, slot), writes);
}

void Decoder::finish(Instruction& in, const MemoryForm& form, const MemorySuffixes& s,
                     const Operand& what, bool reads_register) {
  unsigned bytes = 0;
  in.run = find_memory(form, &bytes);
  if (in.run == nullptr)
    refuse(line_, "unknown access to memory (type '" + std::string(s.type) + "')");
  in.bytes = static_cast<std::uint8_t>(bytes);
  in.vector = static_cast<std::uint8_t>(s.vector);
  in.strong = s.strong;
  const bool atomic = form.kind >= MemoryForm::kAtomic;
  switch (form.space) {
    case Space::kShared:
      in.cls = atomic ? Class::kAtomicShared : Class::kShared;
      break;
    case Space::kLocal:
      in.cls = Class::kLocal;
      break;
    case Space::kParam:
      in.cls = Class::kParam;
      break;
    default:
      in.cls = atomic ? Class::kAtomicGlobal : Class::kGlobal;
      break;
  }
  put_data(in, what, form.slot, !reads_register);
  emit(in);
}

void Decoder::barrier(std::string_view opcode, const std::vector<std::string_view>& parts,
                      std::vector<Operand> list) {
  const auto has = [&](std::string_view p) {
    return std::find(parts.begin(), parts.end(), p) != parts.end();
  };
  if (has("cluster")) return cluster_barrier(parts);
  if (has("warp")) return emit_operation(*find_operation("bar.warp.sync"), list);
  Instruction in;
  in.cls = Class::kSync;
  in.flow = Flow::kBarrier;
  in.aligned = parts[0] == "bar" || has("aligned");
  const bool reduces = has("red"), arrives = has("arrive");
  if (!reduces && !arrives && !has("sync"))
    refuse(line_, "unknown instruction '" + std::string(opcode) + "'");
  // Operands: id, count (none: all threads), and of a reduction source predicate and destination.
  Operand predicate;
  const Operand result = reduces ? list.at(0) : Operand{};
  if (reduces) {
    predicate = list.back();
    list = {list.begin() + 1, list.end() - 1};
  }
  Operand all;
  all.kind = Operand::kImmediate;
  add(in, source(list.empty() ? all : list[0], Slot::k32));
  add(in, source(list.size() > 1 ? list[1] : all, Slot::k32));
  in.modifier = arrives ? 1 : 0;
  if (reduces) {
    in.modifier = has("popc") ? 2 : has("and") ? 3 : 4;
    add(in, source(predicate, Slot::kPredicate), false, predicate.negated);
    add(in, destination(result, has("popc") ? Slot::k32 : Slot::kPredicate), true);
  }
  emit(in);
}

// What a thread does between the halves of such a barrier, which order nothing there, is not
// followed: they must come together.
void Decoder::cluster_barrier(const std::vector<std::string_view>& parts) {
  if (guard_.id != kNone) refuse(line_, "a barrier of a cluster under a predicate");
  if (parts.size() > 2 && parts[2] == "arrive") {
    if (std::find(parts.begin(), parts.end(), "relaxed") != parts.end())
      refuse(line_, "barrier.cluster.arrive.relaxed, which orders no accesses, is not known");
    arrived_ = true;
    return;
  }
  if (!arrived_) refuse(line_, "barrier.cluster.wait that does not follow its arrive");
  arrived_ = false;
  Instruction in;
  in.cls = Class::kSync;
  in.flow = Flow::kClusterBarrier;
  in.aligned = std::find(parts.begin(), parts.end(), "aligned") != parts.end();
  in.weight = 2;
  emit(in);
}

}  // namespace emulator::core
