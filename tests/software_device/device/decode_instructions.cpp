// Instructions that compute or branch.
#include "decoder.h"

namespace emulator::core {

namespace {

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t end = std::min(text.find('.', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

std::uint32_t Decoder::here() const {
  return static_cast<std::uint32_t>(code_.instructions.size());
}

Instruction& Decoder::emit(Instruction in) {
  in.line = line_;
  in.source = source_;
  in.guard = guard_.id;
  in.guard_negated = guard_.negated;
  code_.instructions.push_back(in);
  return code_.instructions.back();
}

void Decoder::emit_exit() {
  guard_ = {};
  Instruction in;
  in.flow = Flow::kExit;
  in.cls = Class::kBranch;
  emit(in);
}

void Decoder::add(Instruction& in, std::uint32_t id, bool writes, bool negated) {
  if (writes) in.writes |= static_cast<std::uint16_t>(1u << in.operands);
  if (negated) in.negated |= static_cast<std::uint16_t>(1u << in.operands);
  in.r.at(in.operands++) = id;
}

void Decoder::emit_operation(const Operation& op, const std::vector<Operand>& list) {
  Instruction in;
  in.run = op.run;
  in.cls = op.cls;
  in.flow = op.flow;
  in.weight = op.weight;
  in.modifier = op.modifier;
  std::size_t k = 0;
  for (const char* s = op.signature; *s != '\0'; ++s) {
    if (*s == 'q') {
      const std::uint32_t second = list[k - 1].second;
      add(in, second == kNone ? fresh(Slot::kPredicate) : second, true);
      continue;
    }
    if (*s == 'C') {
      if (carry_ == kNone) carry_ = fresh(Slot::kPredicate);
      add(in, carry_);
      continue;
    }
    if (k == list.size()) refuse(line_, "an operand is missing");
    const Operand& o = list[k++];
    switch (*s) {
      case 'd':
        add(in, destination(o, Slot::k32), true);
        break;
      case 'D':
        add(in, destination(o, Slot::k64), true);
        break;
      case 'p':
        add(in, destination(o, Slot::kPredicate), true);
        break;
      case 'w':
        add(in, source(o, Slot::k32));
        break;
      case 'L':
        add(in, source(o, Slot::k64));
        break;
      default:
        add(in, source(o, Slot::kPredicate), false, o.negated);
        break;
    }
  }
  if (k != list.size()) refuse(line_, "more operands than known");
  emit(in);
}

void Decoder::instruction(Lexer& lex) {
  guard_ = {};
  line_ = lex.peek().line;
  if (lex.accept('@')) {
    guard_.negated = lex.accept('!');
    guard_.id = find_register(lex.word().text);
    if (guard_.id == kNone) refuse(line_, "unknown guard");
  }
  const Token opcode = lex.word();
  const auto parts = split(opcode.text);
  const std::string_view kind = parts[0];
  if (kind == "call") return call(lex);
  std::vector<Operand> list;
  while (!lex.accept(';')) {
    list.push_back(operand(lex));
    lex.accept(',');
  }
  if (arrived_ && !opcode.text.starts_with("barrier.cluster.wait"))
    refuse(line_, "barrier.cluster.arrive without its wait right behind it");
  if (kind == "bra") return branch(list);
  if (kind == "brx") return table_branch(list);
  if (kind == "ret") return leave();
  if (kind == "exit") return exit_here();
  if (kind == "ld" || kind == "ldu" || kind == "st") return load_store(parts, list);
  if (kind == "atom" || kind == "red") return atomic(parts, list);
  if (kind == "bar" || kind == "barrier") return barrier(opcode.text, parts, list);
  if (kind == "mov" && mov(list)) return;
  if (kind == "cvta") return convert_address(parts, list);
  if (kind == "prefetch" || kind == "prefetchu" || kind == "applypriority" || kind == "discard")
    return;
  const Operation* op = find_operation(opcode.text);
  if (op == nullptr) refuse(line_, "unknown instruction '" + std::string(opcode.text) + "'");
  if (kind == "cvt") return convert(*op, parts, list);
  emit_operation(*op, list);
}

void Decoder::convert(const Operation& op, const std::vector<std::string_view>& parts,
                      std::vector<Operand> list) {
  if (list.size() != 2) refuse(line_, "cvt with another number of operands than 2");
  const auto is_wide = [&](std::size_t k, char narrow) {
    return op.signature[k] == narrow && slot_of(list[k], Slot::k32) == Slot::k64;
  };
  const auto narrow_register = [&] {
    Operand o;
    o.kind = Operand::kRegister;
    o.id = fresh(Slot::k32);
    return o;
  };
  if (is_wide(1, 'w')) {
    const Operand low = narrow_register();
    emit_operation(*find_operation("cvt.u32.u64"), {low, list[1]});
    list[1] = low;
  }
  if (!is_wide(0, 'd')) return emit_operation(op, list);
  const Operand result = narrow_register();
  const std::string_view type = parts[parts.size() - 2];
  const Operation* extend = find_operation(
      std::string(type.starts_with('s') ? "cvt.s64." : "cvt.u64.") + std::string(type));
  if (extend == nullptr) refuse(line_, "cvt into a register that is wider than its type");
  emit_operation(op, {result, list[1]});
  emit_operation(*extend, {list[0], result});
}

Instruction Decoder::control(Flow flow) {
  Instruction in;
  in.flow = flow;
  in.cls = Class::kBranch;
  return in;
}

void Decoder::branch(const std::vector<Operand>& list) {
  expansion_->branches.push_back({here(), list.at(0).text, line_});
  emit(control(Flow::kBranch));
}

void Decoder::table_branch(const std::vector<Operand>& list) {
  expansion_->table_branches.push_back({here(), list.at(1).text, line_});
  Instruction in = control(Flow::kTable);
  add(in, source(list[0], Slot::k32));
  emit(in);
}

void Decoder::leave() {
  if (depth_ == 0) return exit_here();
  expansion_->returns.push_back(here());
  emit(control(Flow::kBranch));
}

void Decoder::exit_here() { emit(control(Flow::kExit)); }

void Decoder::convert_address(const std::vector<std::string_view>& parts,
                              const std::vector<Operand>& list) {
  const bool to = parts[1] == "to";
  const std::string_view space = parts[to ? 2 : 1];
  const std::string name = "cvta." + std::string(to ? "to." : "") +
                           std::string(space.substr(0, space.find(':'))) + ".u64";
  const Operation* op = find_operation(name);
  if (op == nullptr) refuse(line_, "unknown instruction '" + name + "'");
  emit_operation(*op, list);
}

bool Decoder::mov(const std::vector<Operand>& list) {
  if (list.size() != 2) refuse(line_, "mov with another number of operands than 2");
  const Operand &d = list[0], &s = list[1];
  if (s.kind == Operand::kRegister && s.id == kNone && read_clock(d, s)) return true;
  if (d.kind != Operand::kVector && s.kind != Operand::kVector) return false;
  const bool packs = s.kind == Operand::kVector;
  const Operand &vector = packs ? s : d, &whole = packs ? d : s;
  const Slot slot = slot_of(whole, Slot::k32);
  const std::size_t n = vector.elements.size();
  const std::string name = std::string(packs ? "pack" : "unpack") +
                           (slot == Slot::k64 ? ".b64." : ".b32.") + std::to_string(n);
  const Operation* op = find_operation(name);
  if (op == nullptr) refuse(line_, "unknown move of vectors (" + name + ")");
  Instruction in;
  in.run = op->run;
  in.cls = op->cls;
  if (packs) add(in, destination(whole, slot), true);
  for (const Operand& e : vector.elements)
    add(in, packs ? source(e, Slot::k32) : destination(e, Slot::k32), !packs);
  if (!packs) add(in, source(whole, slot));
  emit(in);
  return true;
}

bool Decoder::read_clock(const Operand& d, const Operand& s) {
  const Special special = specials().at(s.text);
  if (special != Special::kClock && special != Special::kClock64 &&
      special != Special::kGlobaltimer)
    return false;
  emit_operation(*find_operation(slot_of(d, Slot::k32) == Slot::k64 ? "clock.u64" : "clock.u32"),
                 {d});
  return true;
}

}  // namespace emulator::core
