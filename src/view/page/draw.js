// WebGL: particles as shaded discs, surfaces of materials, colliders as faint surfaces with their edges, the domain as a
// box, planes as grids of lines.

import {multiply} from "./camera.js";
import {visiblePoints} from "./hidden.js";

// The colour of a value; what 0 and 65534 stand for, and where colours begin and end.
const kColor = `
uniform bool category;
uniform vec2 levels, range;
uniform sampler2D map;
vec3 colorOf(uint value) {
  if (value == 65535u) return vec3(0.5);
  if (category) return texelFetch(map, ivec2(int(value & 255u), 0), 0).rgb;
  float x = mix(levels.x, levels.y, float(value) / 65534.0);
  return texture(map, vec2(((x - range.x) / (range.y - range.x)) * 255.0 / 256.0 + 0.5 / 256.0, 0.5)).rgb;
}`;

// Of a normal in the view's axes. Black is to be told from the ground.
const kLight = `
vec3 shade(vec3 color, vec3 normal) {
  return (0.04 + 0.96 * color) * (0.42 + 0.66 * max(dot(normal, vec3(0.36, 0.72, 0.6)), 0.0));
}`;

const kPointVertex = `#version 300 es
layout(location = 0) in vec3 level;
layout(location = 1) in uint value;
uniform mat4 clip;
uniform vec3 origin, extent;
uniform float diameter, pixels, largest;
uniform bool flat_;
${kColor}
out vec3 color;
void main() {
  gl_Position = clip * vec4(origin + level * extent, 1.0);
  gl_PointSize = clamp(diameter * pixels / (flat_ ? 1.0 : gl_Position.w), 1.5, largest);
  color = colorOf(value);
}`;

const kPointFragment = `#version 300 es
precision mediump float;
in vec3 color;
uniform bool shaded;
out vec4 pixel;
${kLight}
void main() {
  vec2 p = 2.0 * gl_PointCoord - 1.0;
  float r2 = dot(p, p);
  if (r2 > 1.0) discard;
  pixel = vec4(shaded ? shade(color, vec3(p.x, -p.y, sqrt(1.0 - r2))) : 0.04 + 0.96 * color, 1.0);
}`;

const kMeshVertex = `#version 300 es
layout(location = 0) in vec3 level;
layout(location = 1) in uint value;
layout(location = 2) in vec3 normal;
layout(location = 3) in vec3 mixed;
uniform mat4 clip, view;
uniform vec3 origin, extent;
${kColor}
out vec3 color, side;
void main() {
  gl_Position = clip * vec4(origin + level * extent, 1.0);
  side = mat3(view) * normal;
  color = category ? mixed : colorOf(value);
}`;

const kMeshFragment = `#version 300 es
precision mediump float;
in vec3 color, side;
out vec4 pixel;
${kLight}
void main() {
  pixel = vec4(shade(color, normalize(gl_FrontFacing ? side : -side)), 1.0);
}`;

const kSolidVertex = `#version 300 es
layout(location = 0) in vec3 position;
uniform mat4 clip, view;
out vec3 seen;
void main() {
  seen = (view * vec4(position, 1.0)).xyz;
  gl_Position = clip * vec4(position, 1.0);
}`;

const kSolidFragment = `#version 300 es
precision highp float;
in vec3 seen;
uniform vec4 color;
uniform bool lit;
out vec4 pixel;
void main() {
  float light = 1.0;
  if (lit) light = 0.45 + 0.55 * abs(normalize(cross(dFdx(seen), dFdy(seen))).z);
  pixel = vec4(color.rgb * light * color.a, color.a);
}`;

function program(gl, vertex, fragment) {
  const made = gl.createProgram();
  for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
  const uniforms = {};
  for (let i = 0; i < gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS); ++i) {
    const {name} = gl.getActiveUniform(made, i);
    uniforms[name] = gl.getUniformLocation(made, name);
  }
  return {made, uniforms};
}

// The lines of a grid on a plane, about the place where the scene is.
function gridOfPlane(point, normal, stage, flat) {
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

function boxLines({min, max}) {
  const lines = [];
  for (let corner = 0; corner < 8; ++corner)
    for (let axis = 0; axis < 3; ++axis)
      if (!(corner >> axis & 1))
        for (const end of [corner, corner | 1 << axis])
          for (let c = 0; c < 3; ++c) lines.push(end >> c & 1 ? max[c] : min[c]);
  return new Float32Array(lines);
}

export class Drawing {
  constructor(canvas) {
    const gl = canvas.getContext("webgl2", {antialias: false, alpha: false, powerPreference: "high-performance"});
    if (!gl) throw new Error("this browser has no WebGL 2, which the particles are drawn with");
    this.canvas = canvas;
    this.gl = gl;
    this.points = program(gl, kPointVertex, kPointFragment);
    this.solidSides = program(gl, kSolidVertex, kSolidFragment);
    this.meshes = program(gl, kMeshVertex, kMeshFragment);
    this.maps = {};
    this.solids = [];
    this.mesh = this.meshSet();
    this.sets = [this.pointSet(), this.pointSet()];  // one is shown while the other is filled
    this.largest = Math.min(256, gl.getParameter(gl.ALIASED_POINT_SIZE_RANGE)[1]);
    gl.enable(gl.DEPTH_TEST);
  }

  pointSet() {
    const {gl} = this;
    const set = {
      array: gl.createVertexArray(), buffer: gl.createBuffer(), indices: gl.createBuffer(),
      header: null, loaded: 0, room: 0,
      levels: new Uint16Array(0),  // of the buffer
      seen: new Uint32Array(0),    // of the indices: which points are not hidden by others
    };
    gl.bindVertexArray(set.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, set.buffer);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.UNSIGNED_SHORT, true, 8, 0);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribIPointer(1, 1, gl.UNSIGNED_SHORT, 8, 6);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, set.indices);
    return set;
  }

  meshSet() {
    const {gl} = this;
    const set = {array: gl.createVertexArray(), buffer: gl.createBuffer(), indices: gl.createBuffer(),
                 header: null, covered: null};
    gl.bindVertexArray(set.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, set.buffer);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.UNSIGNED_SHORT, true, 16, 0);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribIPointer(1, 1, gl.UNSIGNED_SHORT, 16, 6);
    gl.enableVertexAttribArray(2);
    gl.vertexAttribPointer(2, 3, gl.BYTE, true, 16, 8);
    gl.enableVertexAttribArray(3);
    gl.vertexAttribPointer(3, 3, gl.UNSIGNED_BYTE, true, 16, 12);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, set.indices);
    return set;
  }

  // Those of the picture whose points are put next; null: none.
  putSurfaces(surfaces) {
    const {gl, mesh} = this;
    mesh.header = surfaces?.header.triangles ? surfaces.header : null;
    mesh.covered = surfaces?.covered.length ? surfaces.covered : null;
    if (!mesh.header) return;
    gl.bindVertexArray(mesh.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, mesh.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, surfaces.vertices, gl.DYNAMIC_DRAW);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, surfaces.triangles, gl.DYNAMIC_DRAW);
  }

  get shown() {
    return this.sets[0];
  }

  // The first part of a picture takes the place of what is shown; further ones add to it.
  put(header, levels) {
    const {gl} = this;
    if (header.first === 0) {
      this.sets.reverse();
      const set = this.shown;
      gl.bindBuffer(gl.ARRAY_BUFFER, set.buffer);
      if (set.room !== header.points) {
        gl.bufferData(gl.ARRAY_BUFFER, 8 * header.points, gl.DYNAMIC_DRAW);
        set.levels = new Uint16Array(4 * header.points);
      }
      set.room = header.points;
      set.loaded = 0;
    }
    const set = this.shown;
    gl.bindBuffer(gl.ARRAY_BUFFER, set.buffer);
    gl.bufferSubData(gl.ARRAY_BUFFER, 8 * header.first, levels);
    set.levels.set(levels, 4 * header.first);
    set.header = header;
    set.loaded = header.first + header.count;
  }

  // Before what was put is drawn. `spacing`: of the particles, 0 in the plane, where all are seen.
  findSeen(spacing) {
    const {gl} = this, set = this.shown;
    set.seen = visiblePoints(set.levels, set.loaded, set.header, spacing, this.mesh.covered);
    gl.bindVertexArray(set.array);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, set.seen, gl.DYNAMIC_DRAW);
  }

  // Which part of the points that are there is drawn if all that are seen are.
  get seenPart() {
    const {seen, loaded} = this.shown;
    return loaded ? seen.length / loaded : 1;
  }

  setMap(name, colors) {
    const {gl} = this;
    const bytes = new Uint8Array(256 * 4).fill(128);
    colors.slice(0, 256).forEach((c, i) => bytes.set([...c, 255], 4 * i));
    this.maps[name] ??= gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.maps[name]);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    for (const [what, how] of [[gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR],
                               [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]])
      gl.texParameteri(gl.TEXTURE_2D, what, how);
  }

  setSolids(solids, scene) {
    const {gl} = this;
    for (const old of this.solids) for (const part of old.parts) {
      gl.deleteBuffer(part.buffer);
      gl.deleteVertexArray(part.array);
    }
    const flat = scene.dimension === 2;
    const part = (numbers, mode, color) => {
      const made = {array: gl.createVertexArray(), buffer: gl.createBuffer(), count: numbers.length / 3, mode, color};
      gl.bindVertexArray(made.array);
      gl.bindBuffer(gl.ARRAY_BUFFER, made.buffer);
      gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(0);
      gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 12, 0);
      return made;
    };
    this.solids = solids.map((solid) => {
      const color = solid.color.map((c) => c / 255);
      const parts = [];
      if (solid.plane)
        parts.push(part(gridOfPlane(solid.point, solid.normal, scene.stage, flat), gl.LINES, [...color, flat ? 0.9 : 0.2]));
      if (solid.triangles.length) parts.push(part(solid.triangles, gl.TRIANGLES, [...color, 0.3]));
      if (solid.lines.length) parts.push(part(solid.lines, gl.LINES, [...color, 0.75]));
      return {collider: solid.collider, parts};
    });
    if (scene.domain)
      this.solids.push({collider: -1, parts: [part(boxLines(scene.domain), gl.LINES, [0.62, 0.68, 0.76, 0.55])]});
  }

  resize() {
    const scale = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.round(this.canvas.clientWidth * scale), height = Math.round(this.canvas.clientHeight * scale);
    if (this.canvas.width !== width || this.canvas.height !== height) [this.canvas.width, this.canvas.height] = [width, height];
  }

  // `look`: camera, map, category, range, diameter (m), dimension, most (points), withSolids.
  draw(look) {
    const {gl, canvas} = this;
    this.resize();
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0.075, 0.082, 0.094, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const matrices = look.camera.matrices(canvas.width, canvas.height);
    if (this.mesh.header) this.drawSurfaces(look, matrices);
    if (this.shown.seen.length) this.drawPoints(look, matrices);
    if (look.withSolids) this.drawSolids(matrices);
  }

  // Uniforms of what has places and colours.
  setColors(uniforms, header, look) {
    const {gl} = this;
    gl.bindTexture(gl.TEXTURE_2D, this.maps[look.map]);
    gl.uniform3fv(uniforms.origin, header.origin);
    gl.uniform3fv(uniforms.extent, header.extent);
    gl.uniform1i(uniforms.category, look.category);
    gl.uniform2f(uniforms.levels, header.low, header.high);
    gl.uniform2fv(uniforms.range, look.range);
  }

  drawSurfaces(look, {clip, view}) {
    const {gl, meshes: {made, uniforms}, mesh: {header, array}} = this;
    gl.useProgram(made);
    gl.bindVertexArray(array);
    gl.uniformMatrix4fv(uniforms.clip, false, clip);
    gl.uniformMatrix4fv(uniforms.view, false, view);
    this.setColors(uniforms, header, {...look, category: header.category});
    gl.drawElements(gl.TRIANGLES, 3 * header.triangles, gl.UNSIGNED_INT, 0);
  }

  drawPoints(look, {clip, pixels}) {
    const {gl, points: {made, uniforms}} = this;
    const {header, array, seen} = this.shown;
    const count = Math.min(seen.length, Math.floor(look.most));
    // Fewer discs than particles are larger, so that together they fill as much.
    const spread = Math.min(6, (header.particles / (seen[count - 1] + 1)) ** (1 / look.dimension));
    gl.useProgram(made);
    gl.bindVertexArray(array);
    this.setColors(uniforms, header, look);
    gl.uniformMatrix4fv(uniforms.clip, false, clip);
    gl.uniform1f(uniforms.diameter, look.diameter * spread);
    gl.uniform1f(uniforms.pixels, pixels);
    gl.uniform1f(uniforms.largest, this.largest);
    gl.uniform1i(uniforms.flat_, look.dimension === 2);
    gl.uniform1i(uniforms.shaded, look.dimension === 3);
    gl.drawElements(gl.POINTS, count, gl.UNSIGNED_INT, 0);
  }

  drawSolids({clip, view}) {
    const {gl, solidSides: {made, uniforms}} = this;
    gl.useProgram(made);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    for (const {collider, parts} of this.solids) {
      const pose = this.poseOf(collider);
      gl.uniformMatrix4fv(uniforms.clip, false, multiply(clip, pose));
      gl.uniformMatrix4fv(uniforms.view, false, multiply(view, pose));
      for (const {array, count, mode, color} of parts) {
        gl.bindVertexArray(array);
        gl.uniform4fv(uniforms.color, color);
        gl.uniform1i(uniforms.lit, mode === gl.TRIANGLES);
        gl.drawArrays(mode, 0, count);
      }
    }
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  // Row-major rotations and translations come from the program.
  poseOf(collider) {
    const p = this.shown.header?.poses[collider] ?? [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];
    return [p[0], p[3], p[6], 0, p[1], p[4], p[7], 0, p[2], p[5], p[8], 0, p[9], p[10], p[11], 1];
  }
}
