// What operands name: registers, places in memory, numbers.
#include "decoder.h"

namespace emulator::core {

const std::unordered_map<std::string_view, Special>& specials() {
  static const std::unordered_map<std::string_view, Special> table{
      {"%tid.x", Special::kTidX},
      {"%tid.y", Special::kTidY},
      {"%tid.z", Special::kTidZ},
      {"%ntid.x", Special::kNtidX},
      {"%ntid.y", Special::kNtidY},
      {"%ntid.z", Special::kNtidZ},
      {"%ctaid.x", Special::kCtaidX},
      {"%ctaid.y", Special::kCtaidY},
      {"%ctaid.z", Special::kCtaidZ},
      {"%nctaid.x", Special::kNctaidX},
      {"%nctaid.y", Special::kNctaidY},
      {"%nctaid.z", Special::kNctaidZ},
      {"%laneid", Special::kLaneid},
      {"%warpid", Special::kWarpid},
      {"%nwarpid", Special::kNwarpid},
      {"%smid", Special::kSmid},
      {"%nsmid", Special::kNsmid},
      {"%gridid", Special::kGridid},
      {"%lanemask_eq", Special::kLanemaskEq},
      {"%lanemask_le", Special::kLanemaskLe},
      {"%lanemask_lt", Special::kLanemaskLt},
      {"%lanemask_ge", Special::kLanemaskGe},
      {"%lanemask_gt", Special::kLanemaskGt},
      {"%dynamic_smem_size", Special::kDynamicShared},
      {"%total_smem_size", Special::kTotalShared},
      {"%clock", Special::kClock},
      {"%clock64", Special::kClock64},
      {"%clock_hi", Special::kZero},
      {"%globaltimer", Special::kGlobaltimer},
      {"%cluster_ctaid.x", Special::kZero},
      {"%cluster_ctarank", Special::kClusterCtarank},
      {"%cluster_nctaid.x", Special::kOne},
      {"%cluster_nctarank", Special::kClusterNctarank}};
  return table;
}

std::uint32_t Decoder::fresh(Slot slot) {
  virtuals_.push_back({slot, VirtualRegister::kPlain, 0});
  return static_cast<std::uint32_t>(virtuals_.size() - 1);
}

std::uint32_t Decoder::unique(Slot slot, VirtualRegister::Kind kind, std::uint64_t value) {
  if (slot == Slot::k32) value &= 0xFFFFFFFFu;
  const auto key = std::make_tuple(slot, kind, value);
  const auto found = unique_.find(key);
  if (found != unique_.end()) return found->second;
  virtuals_.push_back({slot, kind, value});
  return unique_[key] = static_cast<std::uint32_t>(virtuals_.size() - 1);
}

void Decoder::declare_registers(Lexer& lex) {
  const Token type = lex.word();
  const unsigned bytes = bytes_of_type(type.text, type.line);
  if (bytes > 8) refuse(type.line, "registers of 128 bits");
  const Slot slot = bytes == 0 ? Slot::kPredicate : bytes == 8 ? Slot::k64 : Slot::k32;
  do {
    const Token name = lex.word();
    Family f{name.text, 0, static_cast<std::uint32_t>(virtuals_.size())};
    if (lex.accept('<')) {
      f.count = static_cast<std::uint32_t>(lex.integer());
      lex.expect('>');
    }
    for (std::uint32_t i = 0; i < std::max(f.count, 1u); ++i) fresh(slot);
    scopes_.back().registers.push_back(f);
  } while (lex.accept(','));
  lex.expect(';');
}

std::uint32_t Decoder::find_register(std::string_view name) const {
  std::size_t digits = name.size();
  while (digits > 0 && std::isdigit(static_cast<unsigned char>(name[digits - 1]))) --digits;
  std::uint32_t number = 0;
  std::from_chars(name.data() + digits, name.data() + name.size(), number);
  const std::string_view prefix = name.substr(0, digits);
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    for (const Family& f : scope->registers) {
      if (f.count == 0 && f.prefix == name) return f.first;
      if (number < f.count && f.prefix == prefix && digits < name.size()) return f.first + number;
    }
  return kNone;
}

std::optional<Place> Decoder::find_place(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->places.find(name); found != scope->places.end())
      return found->second;
  if (const auto found = shared_.find(name); found != shared_.end())
    return Place{Space::kShared, found->second};
  if (const auto found = module_.variables.find(std::string(name));
      found != module_.variables.end())
    return Place{Space::kGlobal, reinterpret_cast<std::uint64_t>(found->second.address)};
  return std::nullopt;
}

Operand Decoder::operand(Lexer& lex) {
  if (lex.accept('{')) return vector_operand(lex);
  if (lex.accept('[')) return address(lex);
  Operand o;
  o.negated = lex.accept('!');
  if (lex.peek().is('-') || lex.peek().kind == Token::kNumber) return number(lex, o);
  const Token t = lex.word();
  o.text = t.text;
  if (t.text == "_") {
    o.kind = Operand::kSink;
  } else if ((o.id = find_register(t.text)) != kNone) {
    o.kind = Operand::kRegister;
  } else if (specials().contains(t.text)) {
    o.kind = Operand::kRegister;
    o.id = kNone;
  } else if (const auto place = find_place(t.text)) {
    o.kind = Operand::kImmediate;
    o.value = place->offset;
    if (lex.accept('+')) o.value += lex.integer();
  } else if (t.text == "WARP_SZ") {
    o.kind = Operand::kImmediate;
    o.value = kLanes;
  } else {
    o.kind = Operand::kName;
  }
  if (lex.accept('|')) {
    const Token second = lex.word();
    if (second.text != "_" && (o.second = find_register(second.text)) == kNone)
      refuse(second.line, "unknown register '" + std::string(second.text) + "'");
  }
  return o;
}

Operand Decoder::number(Lexer& lex, Operand o) {
  o.kind = Operand::kImmediate;
  const bool minus = lex.accept('-');
  const Token t = lex.next();
  o.value = t.value;
  if (!minus) return o;
  if (t.float_bytes == 0)
    o.value = 0 - o.value;
  else
    o.value ^= std::uint64_t{1} << (t.float_bytes * 8 - 1);
  return o;
}

Operand Decoder::vector_operand(Lexer& lex) {
  Operand o;
  o.kind = Operand::kVector;
  while (!lex.accept('}')) {
    o.elements.push_back(operand(lex));
    lex.accept(',');
  }
  return o;
}

Operand Decoder::address(Lexer& lex) {
  Operand o;
  o.kind = Operand::kAddress;
  do {
    if (lex.peek().kind == Token::kNumber || lex.peek().is('-')) {
      o.value += lex.integer();
      continue;
    }
    const Token t = lex.word();
    if (const std::uint32_t id = find_register(t.text); id != kNone) {
      o.id = id;
    } else if (const auto place = find_place(t.text)) {
      o.value += place->offset;
      o.space = place->space;
    } else {
      refuse(t.line, "unknown address '" + std::string(t.text) + "'");
    }
  } while (lex.accept('+') || lex.peek().is('-'));
  lex.expect(']');
  return o;
}

std::uint32_t Decoder::source(const Operand& o, Slot slot) {
  if (o.kind == Operand::kImmediate)
    return unique(slot, VirtualRegister::kConstant,
                  slot == Slot::kPredicate && o.value != 0 ? kFull : o.value);
  if (o.kind != Operand::kRegister)
    refuse(line_, "operand '" + std::string(o.text) + "' is not known");
  if (o.id != kNone) {
    check_slot(o.id, slot);
    return o.id;
  }
  const auto s = specials().at(o.text);
  return unique(slot, VirtualRegister::kSpecial, static_cast<std::uint64_t>(s));
}

std::uint32_t Decoder::destination(const Operand& o, Slot slot) {
  if (o.kind == Operand::kSink) return fresh(slot);
  if (o.kind != Operand::kRegister || o.id == kNone)
    refuse(line_, "'" + std::string(o.text) + "' cannot be written");
  check_slot(o.id, slot);
  return o.id;
}

void Decoder::check_slot(std::uint32_t id, Slot slot) const {
  if (virtuals_[id].slot != slot)
    refuse(line_, "a register has another width than its instruction");
}

Slot Decoder::slot_of(const Operand& o, Slot otherwise) const {
  if (o.kind == Operand::kVector) return slot_of(o.elements[0], otherwise);
  return o.kind == Operand::kRegister && o.id != kNone ? virtuals_[o.id].slot : otherwise;
}

}  // namespace emulator::core
