// A camera that turns about a point with the world's up kept upright; in the plane it looks straight
// at it and moves only. Matrices are column-major, as WebGL takes them.

const add = (a, b, s = 1) => a.map((x, i) => x + s * b[i]);
const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => a.map((x) => x / Math.hypot(...a));

export function multiply(a, b) {
  const c = new Float32Array(16);
  for (let j = 0; j < 4; ++j)
    for (let i = 0; i < 4; ++i)
      for (let k = 0; k < 4; ++k) c[4 * j + i] += a[4 * k + i] * b[4 * j + k];
  return c;
}

const kFirstAspect = 16 / 9;  // as src/view/session_scene.cpp has it
const kSteepest = 1.54;  // rad above or below the level

export class Camera {
  constructor(stage, flat) {
    this.stage = stage;
    this.flat = flat;
    this.at = 0;  // frames
    this.reset();
  }

  reset() {
    this.isFree = false;
    this.place();
  }

  // To where the scene's camera is at a frame, if that moves and until this one is moved by hand.
  follow(frame) {
    this.at = frame;
    if (!this.isFree && this.stage.path.length) this.place();
  }

  place() {
    const {path, up} = this.stage;
    const frame = Math.max(0, Math.min(path.length - 1, Math.round(this.at)));
    const {eye, target, fov} = path[frame] ?? this.stage;
    this.target = [...target];
    this.fov = fov;
    this.up = this.flat ? [0, 1, 0] : unit(up);
    // Two level directions that complete it.
    this.east = unit(cross(Math.abs(this.up[1]) > 0.9 ? [0, 0, 1] : [0, 1, 0], this.up));
    this.east = this.east.map((x) => (Math.abs(this.up[1]) > 0.9 ? Math.sign(this.up[1]) * x : x));
    this.north = cross(this.east, this.up);
    const back = add(eye, target, -1);
    this.distance = Math.hypot(...back);
    const way = unit(back);
    this.pitch = Math.asin(Math.min(1, Math.max(-1, dot(way, this.up))));
    this.yaw = Math.atan2(dot(way, this.north), dot(way, this.east));
  }

  // From the target to the eye.
  back() {
    if (this.flat) return [0, 0, 1];
    const level = Math.cos(this.pitch);
    return add(add(this.up.map((x) => x * Math.sin(this.pitch)), this.east,
                   level * Math.cos(this.yaw)), this.north, level * Math.sin(this.yaw));
  }

  turn(dx, dy) {
    if (this.flat) return;
    this.isFree = true;
    this.yaw += dx;
    this.pitch = Math.min(kSteepest, Math.max(-kSteepest, this.pitch + dy));
  }

  // In parts of the picture's height.
  move(dx, dy) {
    this.isFree = true;
    const {right, above} = this.frame();
    const height = 2 * this.distance * Math.tan(this.fov / 2);
    this.target = add(add(this.target, right, -dx * height), above, dy * height);
  }

  zoom(factor) {
    this.isFree = true;
    this.distance = Math.max(1e-6, this.distance * factor);
  }

  frame() {
    const back = this.back();
    const right = unit(cross(this.up, back));
    return {back, right, above: cross(back, right)};
  }

  // The world's up in the view's axes.
  upInView() {
    const {back, right, above} = this.frame();
    return [dot(this.up, right), dot(this.up, above), dot(this.up, back)];
  }

  // The view, the view and the projection together, and how many pixels a metre at distance 1 takes.
  matrices(width, height) {
    const {back, right, above} = this.frame();
    const eye = add(this.target, back, this.distance);
    const view = new Float32Array([
      right[0], above[0], back[0], 0, right[1], above[1], back[1], 0, right[2], above[2], back[2], 0,
      -dot(right, eye), -dot(above, eye), -dot(back, eye), 1]);
    const {min, max} = this.stage;
    const reach = Math.hypot(...add(max, min, -1)) + Math.hypot(...add(this.target, min, -1));
    const near = Math.max(this.distance / 200, this.distance - 4 * reach);
    const far = this.distance + 6 * reach + 1;
    const aspect = width / height;
    // A narrower window shows all of the width that the first view was chosen for, only smaller.
    const tangent = Math.tan(this.fov / 2) * Math.max(1, kFirstAspect / aspect);
    const projection = new Float32Array(16);
    const half = tangent * this.distance;
    if (this.flat) {
      projection[0] = 1 / (half * aspect);
      projection[5] = 1 / half;
      projection[10] = -2 / (far - near);
      projection[14] = -(far + near) / (far - near);
      projection[15] = 1;
    } else {
      projection[0] = 1 / (tangent * aspect);
      projection[5] = 1 / tangent;
      projection[10] = -(far + near) / (far - near);
      projection[11] = -1;
      projection[14] = -2 * far * near / (far - near);
    }
    const pixels = height / (2 * (this.flat ? half : tangent));
    return {view, clip: multiply(projection, view), pixels};
  }
}
