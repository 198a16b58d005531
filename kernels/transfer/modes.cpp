#include "kernels/transfer/modes.h"

#include <array>

namespace firn {

namespace {

// Kind of a mode: how many axes carry z and how many carry g. Symmetric sets are unions of kinds.
struct Kind {
  int linear, bending;
};

Kind kind_of(ModeSet set, int d, int r) {
  Kind kind{0, 0};
  for (int a = 0; a < d; ++a) {
    const int power = mode_power(set, d, r, a);
    kind.linear += power == 1;
    kind.bending += power == 2;
  }
  return kind;
}

bool contains(int n_r, int d, Kind k) {
  if (k.bending == 0) return k.linear <= 1 ? n_r > k.linear * d : n_r >= int_power(2, d);
  if (d == 2) {
    if (k.bending == 1) return n_r >= (k.linear == 0 ? 6 : 8);  // + g_x, g_y; + g_x y, x g_y
    return n_r >= 9;
  }
  if (k.bending == 1 && k.linear == 0) return n_r >= 11;
  if (n_r == 14 || n_r == 18) {  // 14 = 11 + three g g; 18 = 14 + three g g z + g g g
    if (k.bending == 2 && k.linear == 0) return true;
    return n_r == 18 && k.bending >= 2;
  }
  if (k.bending == 1 && k.linear == 1) return n_r >= 17;
  if (k.bending == 1 && k.linear == 2) return n_r >= 20;  // degree 4: g z z ...
  if (k.bending == 2 && k.linear == 0) return n_r >= 23;  // ... and g g
  return k.bending == 2 ? n_r >= 26 : n_r >= 27;
}

}  // namespace

std::uint32_t mode_mask(int n_r, int d) {
  const ModeSet set = mode_set_for(n_r, d);
  std::uint32_t mask = 0;
  int members = 0;
  for (int r = 0; r < mode_count(set, d); ++r)
    if (contains(n_r, d, kind_of(set, d, r))) {
      mask |= 1u << r;
      ++members;
    }
  return members == n_r ? mask : 0;
}

}  // namespace firn
