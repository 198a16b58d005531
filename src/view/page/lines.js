// Lines that stand for planes and boxes: x, y, z of two ends each.

// The lines of a grid on a plane, about the place where the scene is.
export function gridOfPlane(point, normal, stage, flat) {
  const size = Math.hypot(...stage.max.map((x, i) => x - stage.min[i]));
  const middle = stage.min.map((x, i) => (x + stage.max[i]) / 2);
  const off = middle.reduce((sum, x, i) => sum + (x - point[i]) * normal[i], 0);
  const foot = middle.map((x, i) => x - off * normal[i]);
  const helper = Math.abs(normal[1]) > 0.9 ? [1, 0, 0] : [0, 1, 0];
  const cross = (a, b) => [
    a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  let u = flat ? [-normal[1], normal[0], 0] : cross(helper, normal);
  u = u.map((x) => x / Math.hypot(...u));
  const w = cross(normal, u);
  const lines = [];
  const at = (a, b) => foot.map((x, i) => x + a * u[i] + b * w[i]);
  if (flat) return new Float32Array([...at(-size, 0), ...at(size, 0)]);
  const count = 6;
  for (let k = -count; k <= count; ++k) {
    const place = k / count * size;
    lines.push(...at(place, -size), ...at(place, size), ...at(-size, place), ...at(size, place));
  }
  return new Float32Array(lines);
}

export function boxLines({min, max}) {
  const lines = [];
  for (let corner = 0; corner < 8; ++corner)
    for (let axis = 0; axis < 3; ++axis)
      if (!(corner >> axis & 1))
        for (const end of [corner, corner | 1 << axis])
          for (let c = 0; c < 3; ++c) lines.push(end >> c & 1 ? max[c] : min[c]);
  return new Float32Array(lines);
}
