// WebGL: particles and tracers as shaded discs, surfaces of materials, colliders as faint surfaces with their edges, the
// domain as a box, planes as grids of lines. What is opaque comes first, then what it is seen through.

import {multiply} from "./camera.js";
import {either, visiblePoints} from "./hidden.js";
import {boxLines, gridOfPlane} from "./lines.js";
import * as shaders from "./shaders.js";

// How far from the eye the box of what has such a header begins and ends.
function depthsOf({origin, extent}, clip) {
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((corner) => [0, 1, 2].reduce(
    (depth, c) => depth + clip[4 * c + 3] * (origin[c] + (corner >> c & 1) * extent[c]), clip[15]));
  const nearest = Math.min(...corners);
  return [nearest, Math.max(...corners, nearest * (1 + 1e-6))];
}

export class Drawing {
  constructor(canvas) {
    const gl = canvas.getContext("webgl2", {antialias: false, alpha: false, stencil: true, powerPreference: "high-performance"});
    if (!gl) throw new Error("this browser has no WebGL 2, which the particles are drawn with");
    this.canvas = canvas;
    this.gl = gl;
    this.points = shaders.program(gl, shaders.kPointVertex, shaders.kPointFragment);
    this.solidSides = shaders.program(gl, shaders.kSolidVertex, shaders.kSolidFragment);
    this.meshes = shaders.program(gl, shaders.kMeshVertex, shaders.kMeshFragment);
    this.clearMeshes = shaders.program(gl, shaders.kMeshVertex, shaders.kClearFragment);
    this.maps = {};
    this.solids = [];
    this.mesh = this.meshSet();
    this.sets = [this.pointSet(), this.pointSet()];  // one is shown while the other is filled
    this.tracers = {...this.pointSet(), stoodFor: null};
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
                 header: null, covered: null, clear: null};
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
    mesh.clear = surfaces?.clear ?? null;
    if (!mesh.header) return;
    gl.bindVertexArray(mesh.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, mesh.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, surfaces.vertices, gl.DYNAMIC_DRAW);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, surfaces.triangles, gl.DYNAMIC_DRAW);
  }

  // As putSurfaces.
  putTracers(traced) {
    const {gl, tracers} = this;
    tracers.header = traced?.header ?? null;
    tracers.stoodFor = traced?.stoodFor ?? null;
    tracers.loaded = traced ? traced.levels.length / 4 : 0;
    if (!traced) return;
    gl.bindBuffer(gl.ARRAY_BUFFER, tracers.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, traced.levels, gl.DYNAMIC_DRAW);
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
    // Through what is clear, and between tracers, one sees what else there is.
    const absent = either(this.mesh.clear, this.tracers.stoodFor);
    set.seen = visiblePoints(set.levels, set.loaded, set.header, spacing, this.mesh.covered, absent);
    gl.bindVertexArray(set.array);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, set.seen, gl.DYNAMIC_DRAW);
  }

  // Which part of the points that are there is drawn if all that are seen are.
  get seenPart() {
    const {seen, loaded} = this.shown;
    return loaded ? seen.length / loaded : 1;
  }

  // How many points and tracers there are to draw.
  get total() {
    return this.shown.seen.length + this.tracers.loaded;
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

  // `look`: camera, map, tracerMap, category, range, diameter, tracerDiameter (m), dimension, most (points and tracers),
  // withSolids.
  draw(look) {
    const {gl, canvas} = this;
    this.resize();
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0.075, 0.082, 0.094, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    const matrices = look.camera.matrices(canvas.width, canvas.height);
    const {header} = this.mesh;
    if (header?.opaque) this.drawSurfaces(look, matrices);
    // In the plane, where all have one depth, what is drawn first lies on top.
    if (this.tracers.loaded) this.drawTracers(look, matrices);
    if (this.shown.seen.length) this.drawParticles(look, matrices);
    if (look.withSolids) this.drawSolids(matrices);
    if (!header || header.opaque === header.triangles) return;
    this.drawClear(look, matrices);
    if (look.withSolids) this.drawSolidsBefore(matrices);
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

  useMeshes({made, uniforms}, look, {clip, view}) {
    const {gl, mesh: {header, array}} = this;
    gl.useProgram(made);
    gl.bindVertexArray(array);
    gl.uniformMatrix4fv(uniforms.clip, false, clip);
    gl.uniformMatrix4fv(uniforms.view, false, view);
    this.setColors(uniforms, header, {...look, category: header.category});
  }

  drawSurfaces(look, matrices) {
    const {gl, mesh: {header}} = this;
    this.useMeshes(this.meshes, look, matrices);
    gl.drawElements(gl.TRIANGLES, 3 * header.opaque, gl.UNSIGNED_INT, 0);
  }

  // Over what is there: all of their sides, then the nearest one, which depths alone find first. The stencil has where.
  drawClear(look, matrices) {
    const {gl, clearMeshes, mesh: {header}} = this;
    const sides = () => gl.drawElements(gl.TRIANGLES, 3 * (header.triangles - header.opaque), gl.UNSIGNED_INT, 12 * header.opaque);
    this.useMeshes(clearMeshes, look, matrices);
    gl.uniform3fv(clearMeshes.uniforms.up, look.camera.upInView());
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    gl.uniform1i(clearMeshes.uniforms.front, false);
    sides();
    gl.depthMask(true);
    gl.colorMask(false, false, false, false);
    sides();
    gl.colorMask(true, true, true, true);
    gl.depthFunc(gl.EQUAL);
    gl.enable(gl.STENCIL_TEST);
    gl.stencilFunc(gl.EQUAL, 0, 1);  // once for each pixel, also where two triangles meet
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    gl.uniform1i(clearMeshes.uniforms.front, true);
    sides();
    gl.disable(gl.STENCIL_TEST);
    gl.depthFunc(gl.LESS);
    gl.disable(gl.BLEND);
  }

  drawParticles(look, {clip, pixels}) {
    const {gl, shown: {header, seen}} = this;
    const count = Math.max(1, Math.floor(seen.length * Math.min(1, look.most / this.total)));
    // Fewer discs than particles are larger, so that together they fill as much.
    this.usePoints(this.shown, look, look.diameter, header.particles / (seen[count - 1] + 1), {clip, pixels});
    gl.uniform2f(this.points.uniforms.depths, 1e20, 2e20);
    gl.drawElements(gl.POINTS, count, gl.UNSIGNED_INT, 0);
  }

  drawTracers(look, {clip, pixels}) {
    const {gl, tracers: {header, loaded}} = this;
    const count = Math.max(1, Math.floor(loaded * Math.min(1, look.most / this.total)));
    const own = {...look, map: look.tracerMap, category: true};
    this.usePoints(this.tracers, own, look.tracerDiameter, header.tracers / count, {clip, pixels});
    // One sees between them, and nothing casts shadows: the further ones are darker.
    gl.uniform2fv(this.points.uniforms.depths, look.dimension === 3 ? depthsOf(header, clip) : [1e20, 2e20]);
    gl.drawArrays(gl.POINTS, 0, count);
  }

  // Discs of this diameter, each of which stands for `share` of what there is.
  usePoints({header, array}, look, diameter, share, {clip, pixels}) {
    const {gl, points: {made, uniforms}} = this;
    gl.useProgram(made);
    gl.bindVertexArray(array);
    this.setColors(uniforms, header, look);
    gl.uniformMatrix4fv(uniforms.clip, false, clip);
    gl.uniform1f(uniforms.diameter, diameter * Math.min(6, share ** (1 / look.dimension)));
    gl.uniform1f(uniforms.pixels, pixels);
    gl.uniform1f(uniforms.largest, this.largest);
    gl.uniform1i(uniforms.flat_, look.dimension === 2);
    gl.uniform1i(uniforms.shaded, look.dimension === 3);
  }

  // Again, where they stand before something clear: it was drawn over them.
  drawSolidsBefore(matrices) {
    const {gl} = this;
    gl.enable(gl.STENCIL_TEST);
    gl.stencilFunc(gl.EQUAL, 1, 1);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.KEEP);
    this.drawSolids(matrices);
    gl.disable(gl.STENCIL_TEST);
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
