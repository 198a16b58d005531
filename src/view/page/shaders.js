// What WebGL computes for vertices and pixels.

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

export const kPointVertex = `#version 300 es
layout(location = 0) in vec3 level;
layout(location = 1) in uint value;
uniform mat4 clip;
uniform vec3 origin, extent;
uniform float diameter, pixels, largest;
uniform vec2 depths;  // from where to where discs grow dark
uniform bool flat_;
${kColor}
out vec3 color;
void main() {
  gl_Position = clip * vec4(origin + level * extent, 1.0);
  gl_PointSize = clamp(diameter * pixels / (flat_ ? 1.0 : gl_Position.w), 1.5, largest);
  color = colorOf(value) * (1.0 - 0.65 * clamp((gl_Position.w - depths.x) / (depths.y - depths.x), 0.0, 1.0));
}`;

export const kPointFragment = `#version 300 es
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

export const kMeshVertex = `#version 300 es
layout(location = 0) in vec3 level;
layout(location = 1) in uint value;
layout(location = 2) in vec3 normal;
layout(location = 3) in vec3 mixed;
uniform mat4 clip, view;
uniform vec3 origin, extent;
${kColor}
invariant gl_Position;
out vec3 color, side, seen;
void main() {
  vec4 place = vec4(origin + level * extent, 1.0);
  gl_Position = clip * place;
  seen = (view * place).xyz;
  side = mat3(view) * normal;
  color = category ? mixed : colorOf(value);
}`;

export const kMeshFragment = `#version 300 es
precision mediump float;
in vec3 color, side;
out vec4 pixel;
${kLight}
void main() {
  pixel = vec4(shade(color, normalize(gl_FrontFacing ? side : -side)), 1.0);
}`;

// Clear materials. What is seen through each of their sides takes a little of their colour: alike for all sides, so that
// no order matters. The nearest side (`front`) also reflects a sky by Fresnel's law, here with a wider rim than that of
// water, which shows its shape.
export const kClearFragment = `#version 300 es
precision mediump float;
in vec3 color, side, seen;
uniform bool front;
uniform vec3 up;
out vec4 pixel;
${kLight}
void main() {
  if (!front) {
    const float taken = 0.16;
    pixel = vec4(taken * (0.04 + 0.75 * color), taken);
    return;
  }
  vec3 normal = normalize(gl_FrontFacing ? side : -side), way = normalize(seen);
  float reflected = 0.03 + 0.8 * pow(1.0 - abs(dot(normal, way)), 3.0);
  vec3 mirrored = reflect(way, normal);
  vec3 sky = mix(vec3(0.16, 0.19, 0.24), vec3(0.86, 0.93, 1.0), smoothstep(-0.3, 0.9, dot(mirrored, up)));
  float sun = 0.7 * pow(max(dot(mirrored, normalize(vec3(0.36, 0.72, 0.6))), 0.0), 60.0);
  const float lit = 0.2;
  pixel = vec4(lit * shade(color, normal) + reflected * mix(sky, color, 0.25) + sun, lit + reflected);
}`;

export const kSolidVertex = `#version 300 es
layout(location = 0) in vec3 position;
uniform mat4 clip, view;
out vec3 seen;
void main() {
  seen = (view * vec4(position, 1.0)).xyz;
  gl_Position = clip * vec4(position, 1.0);
}`;

export const kSolidFragment = `#version 300 es
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

// Of a vertex shader and a fragment shader, with the places of its uniforms.
export function program(gl, vertex, fragment) {
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
