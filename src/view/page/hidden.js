// Which points of a picture can be seen at all: inside a body they are hidden by others, whoever looks
// from wherever, and drawing is spared. A point is hidden if the cells on all six sides of its own
// are as full as those of a body are.

const kMostCells = 1 << 23;
const kFewest = 20000;  // points, below which all are drawn

// Cells of so many spacings hold so many points where the material is whole, and are full with half
// of them or fewer: what is left of a random sample lies less evenly.
const kOfAll = {size: 1.6, full: 2};
const kOfSample = {size: 2.2, full: 3};

let counts = new Uint8Array(0), cells = new Uint32Array(0);

const has = (bits, i) => (bits[i >> 3] >> (i & 7) & 1) !== 0;

// The indices of the `n` first points of `levels` (four numbers each) that can be seen. `spacing` is
// the distance of particles where there are `header.particles` of them. `covered` has a bit for each
// point that a surface hides, `absent` for each that is not drawn and hides no other one; either may be null.
export function visiblePoints(levels, n, header, spacing, covered, absent) {
  const seen = pointsAtRims(levels, n, header, spacing, absent);
  if (!covered && !absent) return seen;
  return seen.filter((i) => !(covered && has(covered, i)) && !(absent && has(absent, i)));
}

// Those that either list has; null: neither has any.
export function either(a, b) {
  if (!a?.length || !b?.length) return a?.length ? a : b?.length ? b : null;
  return a.map((byte, i) => byte | b[i]);
}

function pointsAtRims(levels, n, header, spacing, absent) {
  const everything = () => Uint32Array.from({length: n}, (_, i) => i);
  if (n < kFewest || !(spacing > 0)) return everything();
  const {size, full} = n === header.particles ? kOfAll : kOfSample;
  const cell = size * spacing * Math.cbrt(header.particles / n);
  const [nx, ny, nz] = header.extent.map((x) => Math.floor(x / cell) + 3);  // with a rim that is empty
  if (nx * ny * nz > kMostCells) return everything();
  if (counts.length < nx * ny * nz) counts = new Uint8Array(nx * ny * nz);
  if (cells.length < n) cells = new Uint32Array(n);
  counts.fill(0, 0, nx * ny * nz);
  const [sx, sy, sz] = header.extent.map((x) => x / 65535 / cell);
  for (let i = 0, at = 0; i < n; ++i, at += 4) {
    const x = (levels[at] * sx | 0) + 1, y = (levels[at + 1] * sy | 0) + 1, z = (levels[at + 2] * sz | 0) + 1;
    const c = (z * ny + y) * nx + x;
    cells[i] = c;
    if (absent && has(absent, i)) continue;
    if (counts[c] < 255) ++counts[c];
  }
  const seen = new Uint32Array(n), dy = nx, dz = nx * ny;
  let count = 0;
  for (let i = 0; i < n; ++i) {
    const c = cells[i];
    const hidden = counts[c - 1] >= full && counts[c + 1] >= full && counts[c - dy] >= full &&
      counts[c + dy] >= full && counts[c - dz] >= full && counts[c + dz] >= full;
    if (!hidden) seen[count++] = i;
  }
  return seen.slice(0, count);
}
