// A scene's expression of x, y, z and t as kernels evaluate it: a postfix program, compiled on the
// host (src/scene/expression.h) and run wherever a value is needed. Nothing is sampled in
// advance, so a field is as sharp in place and time as it is written, and there is no table that a
// resumed run would have to find again. Evaluated in double precision in either precision of the
// kernels: time and position of a long run have more digits than a float.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/base/host_device.h"

namespace firn {

// What each takes from the stack, last on top, stands beside it; it leaves one value.
enum class FieldOp : std::int32_t {
  kNumber,    // none: `number`
  kVariable,  // none: x, y, z or t by `index`
  kAdd,       // a, b, and so on to kPower
  kSubtract,
  kMultiply,
  kDivide,
  kPower,
  kLess,  // a, b: 1 or 0, and so on to kOr
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kUnequal,
  kAnd,
  kOr,
  kMin,
  kMax,
  kAtan2,
  kChoose,  // condition, then, else
  kNegate,  // a, and so on
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kTanh,
  kAsinh,
  kAcosh,
  kAtanh,
  kExp,
  kLog,
  kLog2,
  kLog10,
  kSqrt,
  kAbs,
  kSign,
  kRint,
};

struct FieldInstruction {
  FieldOp op;
  std::int32_t index;
  double number;
};

// Values on the stack at once; the host refuses what needs more.
inline constexpr int kMaxFieldDepth = 16;

struct FieldPoint {
  double coordinate[4];  // x, y, z, t
};

// A view: the owner keeps `code` alive, on the side that evaluates it.
struct FieldProgram {
  const FieldInstruction* code = nullptr;
  std::int32_t count = 0;  // 0: the field is `constant`
  bool given = false;      // whether the scene has this field at all
  double constant = 0;
};

namespace field {

FIRN_HD inline double of_one(FieldOp op, double a) {
  switch (op) {
    case FieldOp::kNegate:
      return -a;
    case FieldOp::kSin:
      return std::sin(a);
    case FieldOp::kCos:
      return std::cos(a);
    case FieldOp::kTan:
      return std::tan(a);
    case FieldOp::kAsin:
      return std::asin(a);
    case FieldOp::kAcos:
      return std::acos(a);
    case FieldOp::kAtan:
      return std::atan(a);
    case FieldOp::kSinh:
      return std::sinh(a);
    case FieldOp::kCosh:
      return std::cosh(a);
    case FieldOp::kTanh:
      return std::tanh(a);
    case FieldOp::kAsinh:
      return std::asinh(a);
    case FieldOp::kAcosh:
      return std::acosh(a);
    case FieldOp::kAtanh:
      return std::atanh(a);
    case FieldOp::kExp:
      return std::exp(a);
    case FieldOp::kLog:
      return std::log(a);
    case FieldOp::kLog2:
      return std::log2(a);
    case FieldOp::kLog10:
      return std::log10(a);
    case FieldOp::kSqrt:
      return std::sqrt(a);
    case FieldOp::kAbs:
      return std::fabs(a);
    case FieldOp::kSign:
      return a < 0 ? -1 : a > 0 ? 1 : 0;
    default:
      return std::floor(a + 0.5);
  }
}

FIRN_HD inline double of_two(FieldOp op, double a, double b) {
  switch (op) {
    case FieldOp::kAdd:
      return a + b;
    case FieldOp::kSubtract:
      return a - b;
    case FieldOp::kMultiply:
      return a * b;
    case FieldOp::kDivide:
      return a / b;
    case FieldOp::kPower:
      return b == 2 ? a * a : std::pow(a, b);
    case FieldOp::kLess:
      return a < b;
    case FieldOp::kLessEqual:
      return a <= b;
    case FieldOp::kGreater:
      return a > b;
    case FieldOp::kGreaterEqual:
      return a >= b;
    case FieldOp::kEqual:
      return a == b;
    case FieldOp::kUnequal:
      return a != b;
    case FieldOp::kAnd:
      return a != 0 && b != 0;
    case FieldOp::kOr:
      return a != 0 || b != 0;
    case FieldOp::kMin:
      return b < a ? b : a;
    case FieldOp::kMax:
      return b > a ? b : a;
    default:
      return std::atan2(a, b);
  }
}

}  // namespace field

FIRN_HD constexpr int operands_of(FieldOp op) {
  if (op <= FieldOp::kVariable) return 0;
  if (op < FieldOp::kChoose) return 2;
  return op == FieldOp::kChoose ? 3 : 1;
}

template <int Depth = kMaxFieldDepth>
FIRN_APART FIRN_RARE FIRN_HD inline double run_field(const FieldProgram& program,
                                                     const FieldPoint& at) {
  double stack[Depth], top = 0;  // `top` lies above the stack, in a register
  int depth = 0;
  for (int i = 0; i < program.count; ++i) {
    const FieldInstruction& in = program.code[i];
    switch (operands_of(in.op)) {
      case 0:
        if (i > 0) stack[depth++] = top;
        top = in.op == FieldOp::kNumber ? in.number : at.coordinate[in.index];
        break;
      case 1:
        top = field::of_one(in.op, top);
        break;
      case 2:
        top = field::of_two(in.op, stack[--depth], top);
        break;
      default:
        depth -= 2;
        top = stack[depth] != 0 ? stack[depth + 1] : top;
    }
  }
  return top;
}

FIRN_HD inline double field_at(const FieldProgram& program, const FieldPoint& at) {
  return program.count == 0 ? program.constant : run_field(program, at);
}

}  // namespace firn
