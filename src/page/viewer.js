// Program of the page of `interfere`. Reads the JSON in the element `report` and the meshes beside it, and draws the
// findings with WebGL 2. Loads nothing. Names reach the page as text nodes only.
//
//  1. texts             5. drawing a panel: layers, overlap, caps, composition
//  2. vectors           6. marks over the panels
//  3. meshes, joints    7. list
//  4. WebGL             8. details, controls, keys, address, start
"use strict";
(() => {
const $ = (id) => document.getElementById(id);
const root = document.documentElement;
const report = JSON.parse($("report").textContent);
const findings = report.findings;
const canvas = $("gl");
const dark = matchMedia("(prefers-color-scheme: dark)");
const calm = matchMedia("(prefers-reduced-motion: reduce)");

// ---- 1. texts

/** Text with control and direction characters spelt out, as in the reports. */
const shown = (text) => text.replace(/[\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu,
  (c) => ({ "\n": "\\n", "\r": "\\r", "\t": "\\t" })[c] ?? `\\u{${c.codePointAt(0).toString(16)}}`);

/** Number with four digits. */
const digits = (x) => x === 0 ? "0" : Math.abs(x) >= 1000 ? x.toFixed(0) : String(Number(x.toPrecision(4)));

/** Length in the unit of the assembly; `mm` in mm. */
const lengthText = (mm) => `${digits(mm / report.mm)} ${report.assembly.units}`;

/** Text without its middle, if it is longer than `most`. */
const short = (text, most) => text.length <= most ? text : `${text.slice(0, most * 0.4)}…${text.slice(-most * 0.6)}`;

const idOf = (instance) => report.instances[instance].id;

/** Makes an element with text or children. */
const make = (tag, className, ...children) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
};

// ---- 2. vectors: arrays of three doubles

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const times = (a, k) => [a[0] * k, a[1] * k, a[2] * k];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const norm = (a) => Math.hypot(a[0], a[1], a[2]);
const unit = (a) => times(a, 1 / (norm(a) || 1));
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

/** Turns `v` about the unit vector `axis` (radians). */
const turned = (v, axis, angle) => {
  const c = Math.cos(angle), s = Math.sin(angle);
  return add(add(times(v, c), times(cross(axis, v), s)), times(axis, dot(axis, v) * (1 - c)));
};

/** Coordinates in a view: right, up, away from the viewer, from its centre (mm). */
const inView = (view, p) => {
  const d = sub(p, view.centre);
  return [dot(d, view.right), dot(d, view.up), dot(d, view.into)];
};

const corners = ([low, high]) =>
  [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [0, 1, 2].map((axis) => (k >> axis & 1 ? high : low)[axis]));

// ---- 3. meshes

/** Bytes of a base64 text, without the raw deflate around them. */
async function inflated(text) {
  const packed = Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) : Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Response(packed).body.pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Reads a mesh: `places` from the middle of its box (mm), `corners`, `middle` and `radius`. */
function decoded(bytes, row) {
  const n = 3 * row.vertices, m = 3 * row.triangles;
  const number = (from, all, k) =>
    (bytes[from + k] | bytes[from + all + k] << 8 | bytes[from + 2 * all + k] << 16 | bytes[from + 3 * all + k] << 24) >>> 0;
  const steps = new Int32Array(n);
  const low = [0, 0, 0], high = [0, 0, 0];
  for (let axis = 0; axis < 3; axis++) {
    let at = 0;
    low[axis] = Infinity;
    high[axis] = -Infinity;
    for (let v = 0; v < row.vertices; v++) {
      const z = number(0, n, axis * row.vertices + v);
      at += z >>> 1 ^ -(z & 1);
      steps[3 * v + axis] = at;
      low[axis] = Math.min(low[axis], at);
      high[axis] = Math.max(high[axis], at);
    }
  }
  const middle = low.map((l, axis) => row.vertices ? Math.round((l + high[axis]) / 2) : 0);
  const places = new Float32Array(n);
  let radius = 0;
  for (let k = 0; k < n; k += 3) {
    let square = 0;
    for (let axis = 0; axis < 3; axis++) {
      const at = (steps[k + axis] - middle[axis]) * row.step;
      places[k + axis] = at;
      square += at * at;
    }
    radius = Math.max(radius, square);
  }
  const index = new Uint32Array(m);
  let next = 0;
  for (let k = 0; k < m; k++) {
    const back = number(4 * n, m, k);
    index[k] = back ? next - back : next++;
  }
  const at = middle.map((k, axis) => k * row.step + row.origin[axis]);
  return { places, index, middle: at, radius: Math.sqrt(radius), solid: row.solid };
}

const meshes = new Array(report.meshes.length).fill(null);

/** Instances with their rotation, and the place of their mesh's middle. */
const instances = report.instances.map((i, k) => {
  const drawn = { rows: i.placement.map((r) => r.slice(0, 3)), at: i.placement.map((r) => r[3]) };
  return { k, mesh: i.mesh, joint: i.joint ?? -1, drawn, ...drawn, middle: null, radius: 0 };
});

/** Distinct meshes, those of a finding's pair first. */
const meshOrder = (first) => {
  const wanted = first ? first.pair.map((i) => instances[i].mesh) : [];
  return [...new Set([...wanted, ...report.meshes.keys()])].filter((k) => !meshes[k]);
};

/** Reads one mesh and places its instances. */
async function readMesh(k) {
  const element = document.querySelector(`script[data-mesh="${k}"]`);
  const mesh = decoded(await inflated(element.textContent), report.meshes[k]);
  element.remove();
  meshes[k] = mesh;
  for (const i of instances) {
    if (i.mesh !== k) continue;
    i.middle = applied(i, mesh.middle);
    i.radius = mesh.radius;
  }
}

// ---- joints: maps of rows and a translation, in the root frame

const joints = report.joints ?? [], loops = report.loops ?? [];
const homes = joints.map((j) => j.home);

/** Point after a map. */
const applied = (map, p) => map.rows.map((row, axis) => dot(row, p) + map.at[axis]);

/** The map `first`, then `then`. */
const after = (then, first) => ({
  rows: then.rows.map((row) => [0, 1, 2].map((c) => row[0] * first.rows[0][c] + row[1] * first.rows[1][c] + row[2] * first.rows[2][c])),
  at: applied(then, first.at),
});

/** Motion of a joint by a value from home (degrees, or mm for a slide). */
function motionOf(joint, by) {
  const angle = joint.type === "revolute" || joint.type === "screw" ? by * Math.PI / 180 : 0;
  const along = joint.type === "prismatic" ? by : joint.type === "screw" ? joint.lead * by / 360 : 0;
  const columns = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((e) => turned(e, joint.axis, angle));
  const rows = [0, 1, 2].map((axis) => columns.map((c) => c[axis]));
  const fixed = sub(joint.at, rows.map((row) => dot(row, joint.at)));
  return { rows, at: add(fixed, times(joint.axis, along)) };
}

/** Values of all joints: those of followers from their leaders. */
function withFollowers(values) {
  const value = (k) => joints[k].follows
    ? joints[k].follows.ratio * value(joints[k].follows.joint) + joints[k].follows.offset : values[k];
  return joints.map((_, k) => value(k));
}

/** Motion of each joint at the values of all: the product of the motions of the joints that carry it. */
function motionsAt(values) {
  const motions = [];
  const motion = (k) => {
    const own = () => motionOf(joints[k], values[k] - joints[k].home);
    motions[k] ??= joints[k].on === null ? own() : after(motion(joints[k].on), own());
    return motions[k];
  };
  return motion;
}

/** Closes the loops one after another by Newton's method, from the values of the solved joints. */
function closed(start) {
  let values = withFollowers(start);
  for (const { links, at, axis, solves } of loops) {
    const side = unit(cross(axis, Math.abs(axis[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0]));
    // Values after a change of the solved joints, and the distance between the two places of the pin, across its axis.
    const changed = (by) => {
      const moved = withFollowers(values.map((v, k) => v + (by[solves.indexOf(k)] ?? 0)));
      const [a, b] = links.map(motionsAt(moved)), gap = sub(applied(a, at), applied(b, at));
      return [moved, ...[side, cross(axis, side)].map((e) => dot(a.rows.map((row) => dot(row, e)), gap))];
    };
    for (let step = 0; step < 20; step++) {
      const [, x, y] = changed([0, 0]), h = 1e-4;
      if (Math.hypot(x, y) < 1e-9) break;
      const [[p, q], [r, s]] = [[h, 0], [0, h]].map(changed).map(([, u, v]) => [(u - x) / h, (v - y) / h]);
      const det = p * s - q * r;
      if (!det) break;
      [values] = changed([(r * y - s * x) / det, (q * x - p * y) / det]);
    }
  }
  return values;
}

/** Longest step of a joint on its way to another value (degrees or mm), and most steps: loops stay on their branch. */
const STEP = 3, STEPS = 1000;

/** For each joint: false if a loop solves it. */
const driven = joints.map((_, k) => !loops.some((loop) => loop.solves.includes(k)));

/** Values of all joints, with the joints that have values of their own moved to a target. */
function movedTo(from, target) {
  if (!loops.length) return withFollowers(target);
  const way = Math.max(1, ...target.map((v, k) => driven[k] ? Math.abs(v - from[k]) / STEP : 0));
  const steps = Math.min(Math.ceil(way), STEPS);
  let values = from;
  for (let step = 1; step <= steps; step++) {
    values = closed(values.map((v, k) => driven[k] ? from[k] + (target[k] - from[k]) * step / steps : v));
  }
  return values;
}

/** Places every instance at the values of all joints. */
function placeAll(values) {
  const motion = motionsAt(values);
  for (const i of instances) {
    if (i.joint < 0) continue;
    Object.assign(i, after(motion(i.joint), i.drawn));
    if (meshes[i.mesh]) i.middle = applied(i, meshes[i.mesh].middle);
  }
}

// ---- 4. WebGL

/** Number of layers of faces inside the box of the overlap that a drawing tells apart. */
const LAYERS = 4;

const VERTEX = `#version 300 es
precision highp float;
in vec3 p; in vec4 r0; in vec4 r1; in vec4 r2; in float id;
uniform vec3 scale;
out vec3 q; flat out float own;
invariant gl_Position;
void main() {
  vec4 h = vec4(p, 1.0);
  q = vec3(dot(r0, h), dot(r1, h), dot(r2, h));
  own = id;
  gl_Position = vec4(q * scale, 1.0);
}`;
const HEAD = `#version 300 es
precision highp float; precision highp sampler2D;
in vec3 q; flat in float own; uniform vec4 plane;
bool before() { return dot(plane.xyz, q) + plane.w > 0.0; }
vec3 facing() { vec3 n = normalize(cross(dFdx(q), dFdy(q))); return n.z > 0.0 ? -n : n; }
`;
// Nearest faces: normal towards the viewer, number of the instance.
const SURFACE = `${HEAD}
layout(location = 0) out vec4 normal; layout(location = 1) out vec4 ident;
void main() {
  vec3 n = facing();
  if (before()) discard;
  normal = vec4(n * 0.5 + 0.5, 1.0);
  ident = vec4(mod(own, 256.0), mod(floor(own / 256.0), 256.0), floor(own / 65536.0), 255.0) / 255.0;
}`;
// Faces behind the plane, for the stencil.
const BEHIND = `${HEAD}
out vec4 c; void main() { if (before()) discard; c = vec4(1.0); }`;
// Faces before the box of the overlap: number of outer sides and of inner sides.
const COUNT = `${HEAD}
uniform float z0; out vec4 c;
void main() { if (gl_FragCoord.z >= z0) discard; c = gl_FrontFacing ? vec4(1.0, 0.0, 0.0, 0.0) / 255.0 : vec4(0.0, 1.0, 0.0, 0.0) / 255.0; }`;
// Next faces behind the ones before: depth only.
const PEEL = `${HEAD}
uniform float z0; uniform bool first; uniform sampler2D last; out vec4 c;
void main() {
  float z = gl_FragCoord.z;
  if (z < z0 || !first && z <= texelFetch(last, ivec2(gl_FragCoord.xy), 0).r + 1.2e-7) discard;
  c = vec4(0.0);
}`;
// Outer faces of one solid inside the other one: there the overlap begins.
const INSIDE = `${HEAD}
uniform float z0; uniform float least; uniform sampler2D base;
uniform sampler2D f0, f1, f2, f3, b0, b1, b2, b3;
layout(location = 0) out vec4 normal; layout(location = 1) out vec4 ident;
void main() {
  vec3 n = facing();
  float z = gl_FragCoord.z;
  ivec2 at = ivec2(gl_FragCoord.xy);
  if (before() || z < z0) discard;
  float inner = z + least * min(8.0, 1.0 / max(0.01, -n.z));
  vec4 c = texelFetch(base, at, 0);
  float w = floor(c.r * 255.0 + 0.5) - floor(c.g * 255.0 + 0.5);
  w += float(texelFetch(f0, at, 0).r < inner) + float(texelFetch(f1, at, 0).r < inner)
    + float(texelFetch(f2, at, 0).r < inner) + float(texelFetch(f3, at, 0).r < inner);
  w -= float(texelFetch(b0, at, 0).r < inner) + float(texelFetch(b1, at, 0).r < inner)
    + float(texelFetch(b2, at, 0).r < inner) + float(texelFetch(b3, at, 0).r < inner);
  if (w < 0.5) discard;
  normal = vec4(n * 0.5 + 0.5, 1.0);
  ident = vec4(1.0);
}`;
const FULL = `#version 300 es
in vec2 corner; void main() { gl_Position = vec4(corner, 0.0, 1.0); }`;
const FILL = `#version 300 es
precision highp float; uniform vec4 color; out vec4 c; void main() { c = color; }`;
// Puts the layers of a panel together. Colours and shares are those of the pictures (src/picture/shade.rs).
const COMPOSE = `#version 300 es
precision highp float; precision highp sampler2D;
uniform sampler2D cn, ci, cd, an, ad, bn, bd, on, mask;
uniform ivec2 size; uniform vec2 from; uniform float ratio; uniform float pixel;
uniform vec3 ground, others, lines; uniform vec2 pair; uniform float shares[4]; uniform float steps[2];
uniform bool whole, capped; uniform vec2 anchor;
out vec4 color;
const vec3 A = vec3(66, 120, 206) / 255.0, B = vec3(236, 165, 38) / 255.0, RED = vec3(218, 14, 32) / 255.0;
const vec3 RED_EDGE = vec3(122, 0, 14) / 255.0, A_EDGE = vec3(20, 52, 116) / 255.0, B_EDGE = vec3(128, 74, 0) / 255.0;
const vec3 PART = vec3(206, 210, 217) / 255.0, GREY = vec3(110, 116, 126) / 255.0;
ivec2 near(ivec2 p) { return clamp(p, ivec2(0), size - 1); }
vec3 shaded(vec3 own, vec4 n) {
  float light = dot(n.xyz * 2.0 - 1.0, vec3(-48, 60, -101) / 127.0);
  return own * (150.0 + clamp(light * 106.0, 0.0, 106.0)) / 256.0;
}
bool turns(vec4 a, vec4 b) {
  return (a.a > 0.5) != (b.a > 0.5) || a.a > 0.5 && dot(a.xyz * 2.0 - 1.0, b.xyz * 2.0 - 1.0) < 0.866;
}
bool line(sampler2D n, sampler2D d, ivec2 p, float step) {
  ivec2 x = ivec2(1, 0), y = ivec2(0, 1);
  vec4 here = texelFetch(n, p, 0), right = texelFetch(n, near(p + x), 0), above = texelFetch(n, near(p + y), 0);
  if (turns(here, right) || turns(here, above)) return true;
  if (here.a < 0.5) return false;
  float z = texelFetch(d, p, 0).r;
  vec4 left = texelFetch(n, near(p - x), 0), below = texelFetch(n, near(p - y), 0);
  return left.a > 0.5 && abs(texelFetch(d, near(p - x), 0).r - 2.0 * z + texelFetch(d, near(p + x), 0).r) > step
    || below.a > 0.5 && abs(texelFetch(d, near(p - y), 0).r - 2.0 * z + texelFetch(d, near(p + y), 0).r) > step;
}
bvec3 solid(ivec2 p) { return greaterThan(texelFetch(mask, near(p), 0).rgb, vec3(0.5)); }
void main() {
  ivec2 p = near(ivec2((gl_FragCoord.xy - from) * ratio));
  color = vec4(ground, 1.0);
  vec4 c = texelFetch(cn, p, 0);
  vec3 id = texelFetch(ci, p, 0).rgb;
  if (c.a > 0.5 && shares[0] > 0.0) {
    vec3 bytes = floor(id * 255.0 + 0.5);
    float own = bytes.x + 256.0 * bytes.y + 65536.0 * bytes.z;
    vec3 tint = whole && own == pair.x ? A : whole && own == pair.y ? B : others;
    color.rgb = mix(color.rgb, shaded(tint, c), shares[0]);
  }
  if (shares[1] > 0.0 && (line(cn, cd, p, steps[0])
    || id != texelFetch(ci, near(p + ivec2(1, 0)), 0).rgb || id != texelFetch(ci, near(p + ivec2(0, 1)), 0).rgb))
    color.rgb = mix(color.rgb, lines, shares[1]);
  if (!whole && shares[2] > 0.0) {
    vec4 a = texelFetch(an, p, 0), b = texelFetch(bn, p, 0);
    bool first = texelFetch(ad, p, 0).r < texelFetch(bd, p, 0).r;
    for (int k = 0; k < 2; k++) {
      bool of_b = first == (k == 0);
      vec4 n = of_b ? b : a;
      if (n.a > 0.5) color.rgb = mix(color.rgb, shaded(of_b ? B : A, n), shares[2]);
      if (n.a > 0.5 && (of_b ? line(bn, bd, p, steps[1]) : line(an, ad, p, steps[1]))) color.rgb = mix(color.rgb, vec3(0.0), shares[3]);
    }
    vec4 o = texelFetch(on, p, 0);
    if (o.a > 0.5) color.rgb = mix(RED, shaded(RED, o), 0.6);
    int edge = 0;
    for (int k = 0; k < 4; k++) {
      ivec2 d = k == 0 ? ivec2(1, 0) : k == 1 ? ivec2(-1, 0) : k == 2 ? ivec2(0, 1) : ivec2(0, -1);
      edge += int((texelFetch(on, near(p + d), 0).a > 0.5) != (o.a > 0.5));
    }
    if (edge > 0) color.rgb = mix(color.rgb, RED_EDGE, 0.78);
  }
  if (capped) {
    bvec3 s = solid(p);
    vec2 h = (gl_FragCoord.xy - from - anchor) / pixel;
    bool up = mod(h.x - h.y, 9.0) < 2.0, down = mod(h.x + h.y, 9.0) < 2.0;
    if (s.x && s.y) color.rgb = RED;
    else if (s.x) color.rgb = mix(A, vec3(1.0), up ? 0.08 : 0.352);
    else if (s.y) color.rgb = mix(B, vec3(1.0), down ? 0.04 : 0.3125);
    else if (s.z) color.rgb = mix(PART, GREY, up ? 0.234 : 0.0);
    int r = int(max(1.0, pixel * ratio * 0.75));
    bvec3 o = bvec3(false);
    for (int k = 0; k < 4; k++) {
      ivec2 d = (k == 0 ? ivec2(1, 0) : k == 1 ? ivec2(-1, 0) : k == 2 ? ivec2(0, 1) : ivec2(0, -1)) * (k % 2 == 0 ? r : max(1, r - 1));
      bvec3 t = solid(p + d);
      o = bvec3(o.x || t.x != s.x, o.y || t.y != s.y, o.z || t.z != s.z);
    }
    bool red = s.x && s.y;
    if (o.x) color.rgb = red ? RED_EDGE : A_EDGE;
    else if (o.y) color.rgb = red ? RED_EDGE : B_EDGE;
    else if (o.z && !s.x && !s.y) color.rgb = GREY;
  }
}`;

let gl = null, programs = null, targets = null, buffers = null;

function program(vertex, fragment) {
  const made = gl.createProgram();
  for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  ["p", "r0", "r1", "r2", "id"].forEach((name, k) => gl.bindAttribLocation(made, k, name));
  if (vertex === FULL) gl.bindAttribLocation(made, 0, "corner");
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(gl.getProgramInfoLog(made));
  const uniforms = {};
  for (let k = gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS) - 1; k >= 0; k--) {
    const name = gl.getActiveUniform(made, k).name.replace("[0]", "");
    uniforms[name] = gl.getUniformLocation(made, name);
  }
  return { made, uniforms };
}

/** Makes programs and buffers; again after the context was lost. */
function setUp() {
  programs = {
    surface: program(VERTEX, SURFACE), behind: program(VERTEX, BEHIND), count: program(VERTEX, COUNT),
    peel: program(VERTEX, PEEL), inside: program(VERTEX, INSIDE), fill: program(FULL, FILL), compose: program(FULL, COMPOSE),
  };
  const square = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, square);
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 3, -1, -1, 3]), gl.STATIC_DRAW);
  const full = gl.createVertexArray();
  gl.bindVertexArray(full);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
  buffers = { full, meshes: [], rows: gl.createBuffer() };
  targets = null;
}

/** Vertex array of a mesh; its instances' rows come from one shared buffer. */
function meshArray(k) {
  if (buffers.meshes[k]) return buffers.meshes[k];
  const mesh = meshes[k];
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, mesh.places, gl.STATIC_DRAW);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, mesh.index, gl.STATIC_DRAW);
  gl.bindBuffer(gl.ARRAY_BUFFER, buffers.rows);
  for (let a = 1; a <= 4; a++) {
    gl.enableVertexAttribArray(a);
    gl.vertexAttribDivisor(a, 1);
    gl.vertexAttribPointer(a, a === 4 ? 1 : 4, gl.FLOAT, false, 52, (a - 1) * 16);
  }
  buffers.meshes[k] = array;
  return array;
}

function texture(format, width, height) {
  const made = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, made);
  gl.texStorage2D(gl.TEXTURE_2D, 1, format, width, height);
  for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
  for (const name of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, name, gl.CLAMP_TO_EDGE);
  return made;
}

/** Framebuffer with colours and depth. */
function target(width, height, colors, depth = texture(gl.DEPTH_COMPONENT32F, width, height)) {
  const frame = gl.createFramebuffer();
  gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
  const made = colors.map((format) => texture(format, width, height));
  made.forEach((t, k) => gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0 + k, gl.TEXTURE_2D, t, 0));
  gl.drawBuffers(made.length ? made.map((_, k) => gl.COLOR_ATTACHMENT0 + k) : [gl.NONE]);
  if (depth) gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, depth, 0);
  return { frame, colors: made, depth };
}

/** Makes the buffers for panels up to this size (samples). */
function sizeTargets(width, height) {
  if (targets && targets.width >= width && targets.height >= height && targets.width * targets.height <= 2 * width * height) return;
  if (targets) {
    for (const t of targets.all) {
      t.colors.forEach((c) => gl.deleteTexture(c));
      gl.deleteTexture(t.depth);
      gl.deleteRenderbuffer(t.stencil ?? null);
      gl.deleteFramebuffer(t.frame);
    }
  }
  const [context, a, b, overlap] = [2, 1, 1, 1].map((n) => target(width, height, new Array(n).fill(gl.RGBA8)));
  const base = target(width, height, [gl.RGBA8], null);
  const layers = Array.from({ length: 2 * LAYERS }, () => target(width, height, []));
  const mask = target(width, height, [gl.RGBA8], null);
  mask.stencil = gl.createRenderbuffer();
  gl.bindRenderbuffer(gl.RENDERBUFFER, mask.stencil);
  gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH24_STENCIL8, width, height);
  gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_STENCIL_ATTACHMENT, gl.RENDERBUFFER, mask.stencil);
  const all = [context, a, b, overlap, base, mask, ...layers];
  targets = { width, height, context, a, b, overlap, base, mask, layers, all };
}

// ---- 5. drawing a panel

/** Rows of an instance's map to view coordinates (mm), with its translation by `shift`. */
function rowsOf(i, view, shift, out, at) {
  const d = sub(shift ? add(i.middle, shift) : i.middle, view.centre);
  [view.right, view.up, view.into].forEach((axis, k) => {
    for (let c = 0; c < 3; c++) out[at + 4 * k + c] = axis[0] * i.rows[0][c] + axis[1] * i.rows[1][c] + axis[2] * i.rows[2][c];
    out[at + 4 * k + 3] = dot(axis, d);
  });
  out[at + 12] = i.k;
}

/** Instances by mesh whose ball meets the panel. */
function visible(panel, wanted) {
  const { view, half } = panel;
  const found = new Map();
  for (const i of instances) {
    if (!i.middle || !wanted(i)) continue;
    const [x, y] = inView(view, i.middle);
    const room = i.radius + (panel.shift(i) ? norm(panel.shift(i)) : 0);
    if (Math.abs(x) > half[0] + room || Math.abs(y) > half[1] + room) continue;
    found.get(i.mesh)?.push(i) ?? found.set(i.mesh, [i]);
  }
  return found;
}

/** Draws instances with the bound program. */
function drawInstances(found, panel) {
  for (const [k, list] of found) {
    const rows = new Float32Array(13 * list.length);
    list.forEach((i, n) => rowsOf(i, panel.view, panel.shift(i), rows, 13 * n));
    gl.bindVertexArray(meshArray(k));
    gl.bindBuffer(gl.ARRAY_BUFFER, buffers.rows);
    gl.bufferData(gl.ARRAY_BUFFER, rows, gl.STREAM_DRAW);
    gl.drawElementsInstanced(gl.TRIANGLES, meshes[k].index.length, gl.UNSIGNED_INT, 0, list.length);
  }
}

const one = (i) => i.middle ? new Map([[i.mesh, [i]]]) : new Map();

/** Uses a program for faces; depths reach `reach` (mm) before and behind the centre. */
function use(program, panel, reach, plane) {
  gl.useProgram(program.made);
  gl.uniform3f(program.uniforms.scale, 1 / panel.half[0], 1 / panel.half[1], 1 / reach);
  if (program.uniforms.plane) gl.uniform4f(program.uniforms.plane, ...(plane ?? [0, 0, 0, -1]));
}

function bindTarget(t, panel) {
  gl.bindFramebuffer(gl.FRAMEBUFFER, t.frame);
  gl.viewport(0, 0, panel.samples[0], panel.samples[1]);
  gl.disable(gl.SCISSOR_TEST);
}

function drawLayer(t, found, panel, reach, plane) {
  bindTarget(t, panel);
  gl.colorMask(true, true, true, true);
  gl.clearColor(0, 0, 0, 0);
  gl.clearDepth(1);
  gl.enable(gl.DEPTH_TEST);
  gl.depthFunc(gl.LEQUAL);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  if (!found) return;
  use(programs.surface, panel, reach, plane);
  drawInstances(found, panel);
}

/** Largest depth of the pair from the centre of the view. */
const pairReach = (panel) => Math.max(1e-6, ...panel.pair.map((i) => i.middle
  ? norm(sub(add(i.middle, panel.shift(i) ?? [0, 0, 0]), panel.view.centre)) + i.radius : 0)) * 1.01;

const sceneReach = (panel) => Math.max(1e-6, ...instances.map((i) => i.middle
  ? Math.abs(inView(panel.view, i.middle)[2]) + i.radius : 0)) * 1.01 + norm(panel.finding.moves?.by ?? [0, 0, 0]);

/** Box around the ball of the smaller of two instances: it holds their overlap. */
function smallerBox(pair) {
  const { middle, radius } = pair[1].radius < pair[0].radius ? pair[1] : pair[0];
  const half = [radius, radius, radius];
  return [sub(middle ?? [0, 0, 0], half), add(middle ?? [0, 0, 0], half)];
}

/** Box around the overlap in view coordinates: [low, high], or null. */
function overlapBox(panel) {
  const f = panel.finding;
  if (!panel.away && (!f.focus.box || !f.focus.depth)) return null;
  const by = panel.slid;
  const box = panel.away ? smallerBox(panel.pair) : f.focus.box;
  const all = corners(box).flatMap((c) => by ? [c, add(c, by)] : [c]).map((c) => inView(panel.view, c));
  const margin = 0.02 * norm(sub(box[1], box[0])) + report.tolerance;
  const ends = (pick, sign) => [0, 1, 2].map((k) => pick(...all.map((c) => c[k])) + sign * margin);
  return [ends(Math.min, -1), ends(Math.max, 1)];
}

/** Draws the faces of the common space into the layer `overlap`: outer faces of each solid inside the other. */
function drawOverlap(panel, reach, plane) {
  const box = overlapBox(panel);
  drawLayer(targets.overlap, null, panel);
  if (!box || !panel.pair.every((i) => i.middle && meshes[i.mesh].solid)) return;
  const pixel = (k, x) => (x / panel.half[k] + 1) / 2 * panel.samples[k];
  const low = [0, 1].map((k) => clamp(Math.floor(pixel(k, box[0][k])) - 1, 0, panel.samples[k]));
  const high = [0, 1].map((k) => clamp(Math.ceil(pixel(k, box[1][k])) + 1, 0, panel.samples[k]));
  if (high[0] <= low[0] || high[1] <= low[1]) return;
  const depth = (z) => (z / reach + 1) / 2;
  const z0 = depth(box[0][2]);
  const least = Math.min(report.tolerance, panel.away ? Infinity : panel.finding.focus.depth) / 4 / reach / 2;
  const scissor = () => {
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(low[0], low[1], high[0] - low[0], high[1] - low[1]);
  };
  for (const [own, other] of [[0, 1], [1, 0]]) {
    const solid = one(panel.pair[other]);
    bindTarget(targets.base, panel);
    scissor();
    gl.disable(gl.DEPTH_TEST);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE);
    use(programs.count, panel, reach);
    gl.uniform1f(programs.count.uniforms.z0, z0);
    drawInstances(solid, panel);
    gl.disable(gl.BLEND);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.CULL_FACE);
    use(programs.peel, panel, reach);
    gl.uniform1f(programs.peel.uniforms.z0, z0);
    gl.uniform1i(programs.peel.uniforms.last, 0);
    gl.activeTexture(gl.TEXTURE0);
    targets.layers.forEach((layer, k) => {
      const nth = k % LAYERS;
      gl.cullFace(k < LAYERS ? gl.BACK : gl.FRONT);
      gl.bindTexture(gl.TEXTURE_2D, nth ? targets.layers[k - 1].depth : null);
      gl.uniform1i(programs.peel.uniforms.first, nth ? 0 : 1);
      bindTarget(layer, panel);
      scissor();
      gl.clear(gl.DEPTH_BUFFER_BIT);
      drawInstances(solid, panel);
    });
    bindTarget(targets.overlap, panel);
    scissor();
    gl.cullFace(gl.BACK);
    use(programs.inside, panel, reach, plane);
    const u = programs.inside.uniforms;
    gl.uniform1f(u.z0, z0);
    gl.uniform1f(u.least, least);
    [targets.base.colors[0], ...targets.layers.map((l) => l.depth)].forEach((t, k) => {
      gl.activeTexture(gl.TEXTURE0 + k);
      gl.bindTexture(gl.TEXTURE_2D, t);
      gl.uniform1i(k ? u[k <= LAYERS ? `f${k - 1}` : `b${k - 1 - LAYERS}`] : u.base, k);
    });
    drawInstances(one(panel.pair[own]), panel);
    gl.disable(gl.CULL_FACE);
    gl.activeTexture(gl.TEXTURE0);
  }
  gl.disable(gl.SCISSOR_TEST);
}

// Marks the samples of the plane inside the solids: red channel A, green B, blue all others.
// Behind the plane, inner sides count +1 and outer sides −1; the sum is the winding number of the plane's point.
function drawCaps(panel, reach, plane, context) {
  bindTarget(targets.mask, panel);
  gl.colorMask(true, true, true, true);
  gl.clearColor(0, 0, 0, 0);
  gl.clearStencil(0);
  gl.disable(gl.DEPTH_TEST);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
  gl.enable(gl.STENCIL_TEST);
  const sets = [...panel.pair.map((i) => i.middle && meshes[i.mesh].solid ? one(i) : new Map()), context];
  sets.forEach((found, k) => {
    gl.colorMask(false, false, false, false);
    gl.stencilFunc(gl.ALWAYS, 0, 255);
    gl.stencilOpSeparate(gl.BACK, gl.KEEP, gl.KEEP, gl.INCR_WRAP);
    gl.stencilOpSeparate(gl.FRONT, gl.KEEP, gl.KEEP, gl.DECR_WRAP);
    use(programs.behind, panel, reach, plane);
    drawInstances(new Map([...found].filter(([mesh]) => meshes[mesh].solid)), panel);
    gl.colorMask(k === 0, k === 1, k === 2, false);
    // Sums below 0 wrap to 128 and more.
    gl.stencilFunc(gl.NOTEQUAL, 0, 255);
    gl.stencilOp(gl.ZERO, gl.ZERO, gl.ZERO);
    gl.useProgram(programs.fill.made);
    gl.uniform4f(programs.fill.uniforms.color, 1, 1, 1, 1);
    gl.bindVertexArray(buffers.full);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  });
  gl.disable(gl.STENCIL_TEST);
  gl.colorMask(true, true, true, true);
}

/** Draws a panel: `rect` in pixels of the canvas from the bottom left, `samples` per side of its layers. */
function drawPanel(panel) {
  const { mode, view } = panel;
  const isPair = (i) => panel.pair.includes(i);
  const planeAt = panel.plane && planeInView(panel);
  // A section seen straight on is a drawing: nothing shows behind it.
  const off = planeAt ? Math.acos(clamp(-planeAt[2], -1, 1)) : 0;
  const behind = mode === "section" ? clamp((off - 0.02) / 0.15, 0, 1) : 1;
  const full = mode === "where";
  const reach = sceneReach(panel), near = pairReach(panel);
  const context = panel.others || full ? visible(panel, (i) => full || !isPair(i)) : new Map();
  sizeTargets(panel.samples[0], panel.samples[1]);
  if (behind > 0) {
    drawLayer(targets.context, context, panel, reach, planeAt);
    if (!full) {
      panel.pair.forEach((i, k) => drawLayer(k ? targets.b : targets.a, one(i), panel, near, planeAt));
      drawOverlap(panel, near, planeAt);
    }
  }
  if (planeAt) drawCaps(panel, reach, planeAt, context);
  gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  gl.viewport(...panel.rect);
  gl.enable(gl.SCISSOR_TEST);
  gl.scissor(...panel.rect);
  gl.disable(gl.DEPTH_TEST);
  const { made, uniforms: u } = programs.compose;
  gl.useProgram(made);
  const { context: c, a, b, overlap, mask } = targets;
  Object.entries({ cn: c.colors[0], ci: c.colors[1], cd: c.depth, an: a.colors[0], ad: a.depth, bn: b.colors[0], bd: b.depth,
    on: overlap.colors[0], mask: mask.colors[0] }).forEach(([name, t], k) => {
    gl.activeTexture(gl.TEXTURE0 + k);
    gl.bindTexture(gl.TEXTURE_2D, t);
    gl.uniform1i(u[name], k);
  });
  const colors = dark.matches
    ? { ground: [27, 30, 36], others: [150, 156, 166], lines: [178, 184, 194] }
    : { ground: [255, 255, 255], others: [206, 210, 217], lines: [110, 116, 126] };
  for (const [name, rgb] of Object.entries(colors)) gl.uniform3f(u[name], ...rgb.map((x) => x / 255));
  const ratio = panel.samples[0] / panel.rect[2];
  gl.uniform2i(u.size, ...panel.samples);
  gl.uniform2f(u.from, panel.rect[0], panel.rect[1]);
  gl.uniform1f(u.ratio, ratio);
  gl.uniform1f(u.pixel, panel.pixel);
  gl.uniform2f(u.pair, ...panel.pair.map((i) => i.k));
  const shares = full ? [1, 0.35, 0, 0] : panel.ghost ? [0.45, 0.43, 0.547, 0.47] : [1, 0.6, 1, 0.6];
  gl.uniform1fv(u.shares, shares.map((s) => s * behind));
  // A step of six samples in depth makes a line.
  const sample = 2 * panel.half[0] / panel.samples[0];
  gl.uniform1fv(u.steps, [reach, near].map((r) => 6 * sample / (2 * r)));
  gl.uniform1i(u.whole, full ? 1 : 0);
  gl.uniform1i(u.capped, planeAt ? 1 : 0);
  const [fx, fy] = inView(view, panel.finding.focus.point);
  gl.uniform2f(u.anchor, (fx / panel.half[0] + 1) / 2 * panel.rect[2], (fy / panel.half[1] + 1) / 2 * panel.rect[3]);
  gl.bindVertexArray(buffers.full);
  gl.drawArrays(gl.TRIANGLES, 0, 3);
  gl.disable(gl.SCISSOR_TEST);
}

/** The section plane in view coordinates: normal towards the viewer, and offset. */
function planeInView(panel) {
  const { view, plane } = panel;
  const side = dot(plane.normal, view.into) > 0 ? -1 : 1;
  const n = times(plane.normal, side);
  const at = [dot(n, view.right), dot(n, view.up), dot(n, view.into)];
  return [...at, -dot(n, sub(plane.point, view.centre))];
}

// ---- 6. marks over the panels: scale bar, ring, arrow, dimension, cuts of open meshes

const marks = $("marks").getContext("2d");

/** Pixel of a point on the canvas, from the top left. */
function onCanvas(panel, p) {
  const [x, y] = inView(panel.view, p);
  const [left, bottom, width, height] = panel.rect;
  return [left + (x / panel.half[0] + 1) / 2 * width, canvas.height - bottom - (y / panel.half[1] + 1) / 2 * height];
}

function stroke(points, width, color, close = false) {
  marks.beginPath();
  points.forEach(([x, y], k) => k ? marks.lineTo(x, y) : marks.moveTo(x, y));
  if (close) marks.closePath();
  marks.lineWidth = width;
  marks.strokeStyle = color;
  marks.stroke();
}

function label(text, x, y, size, align = "left") {
  marks.font = `${size}px system-ui, sans-serif`;
  marks.textAlign = align;
  marks.textBaseline = "middle";
  marks.lineWidth = size / 3;
  marks.lineJoin = "round";
  marks.strokeStyle = dark.matches ? "#1b1e24" : "#ffffff";
  marks.strokeText(text, x, y);
  marks.fillStyle = dark.matches ? "#eceff4" : "#16191f";
  marks.fillText(text, x, y);
}

function ring([x, y], radius, pixel, certain) {
  marks.beginPath();
  marks.arc(x, y, radius * pixel, 0, 7);
  marks.lineWidth = 5 * pixel;
  marks.strokeStyle = dark.matches ? "#1b1e24" : "#ffffff";
  marks.stroke();
  marks.lineWidth = 2.5 * pixel;
  marks.strokeStyle = certain ? (dark.matches ? "#ff5566" : "#da0e20") : dark.matches ? "#d9a3ff" : "#7b1fa2";
  marks.stroke();
}

/** Scale bar: 1, 2 or 5 times a power of ten, at most a fifth of the panel. */
function scaleBar(panel) {
  const [left, bottom, width] = panel.rect;
  const { pixel } = panel;
  const room = panel.half[0] * 2 / 5 / report.mm;
  const power = 10 ** Math.floor(Math.log10(room));
  const step = [5, 2, 1].map((k) => k * power).find((s) => s <= room) ?? power;
  const long = step * report.mm / panel.half[0] / 2 * width;
  const x = left + 14 * pixel, y = canvas.height - bottom - 14 * pixel;
  const color = dark.matches ? "#eceff4" : "#16191f";
  stroke([[x, y - 4 * pixel], [x, y + 4 * pixel], [x, y], [x + long, y], [x + long, y - 4 * pixel], [x + long, y + 4 * pixel]], 1.5 * pixel, color);
  label(`${digits(step)} ${report.assembly.units}`, x + long + 7 * pixel, y, 12 * pixel);
}

/** Arrow of the proposed move, in the colour of the part that moves, unless it is seen end-on. */
function arrow(panel) {
  const f = panel.finding;
  if (!f.moves || panel.slid || panel.away) return;
  const { pixel } = panel;
  const from = onCanvas(panel, f.focus.point), tip = onCanvas(panel, add(f.focus.point, f.moves.by));
  const d = [tip[0] - from[0], tip[1] - from[1]];
  const seen = Math.hypot(...d), whole = norm(f.moves.by) / panel.half[0] / 2 * panel.rect[2];
  if (!(whole > 0) || seen < 0.3 * whole) return;
  const u = [d[0] / seen, d[1] / seen];
  const long = clamp(seen, 36 * pixel, 150 * pixel), head = 9 * pixel;
  const to = [from[0] + u[0] * long, from[1] + u[1] * long];
  const back = [to[0] - u[0] * head, to[1] - u[1] * head];
  for (const [width, color] of [[5, dark.matches ? "#1b1e24" : "#ffffff"], [2, f.moves.side ? "#804a00" : "#143474"]]) {
    stroke([from, to], width * pixel, dark.matches && width === 2 ? (f.moves.side ? "#f3b95a" : "#8fb8ff") : color);
    stroke([[back[0] - u[1] * head / 2, back[1] + u[0] * head / 2], to, [back[0] + u[1] * head / 2, back[1] - u[0] * head / 2]],
      width * pixel, dark.matches && width === 2 ? (f.moves.side ? "#f3b95a" : "#8fb8ff") : color);
  }
}

/** Dimension line with its text; two have the sides -1 and 1, one has 0. */
function measure(panel, from, to, text, side) {
  const { pixel } = panel;
  let [p, q] = [onCanvas(panel, from), onCanvas(panel, to)];
  const d = [q[0] - p[0], q[1] - p[1]], long = Math.hypot(...d);
  if (!(long > 0.5)) return;
  const across = [-d[1] / long, d[0] / long];
  const step = (e, k) => [e[0] + across[0] * k * pixel, e[1] + across[1] * k * pixel];
  if (side > 0) [p, q] = [step(p, 14), step(q, 14)];
  for (const [width, color] of [[4, "#ffffff"], [1.5, "#16191f"]]) {
    stroke([p, q], width * pixel, color);
    for (const e of [p, q]) stroke([step(e, -5), step(e, 5)], width * pixel, color);
  }
  const [x, y] = [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2];
  const flat = Math.abs(d[0]) > Math.abs(d[1]), out = Math.sign(side * across[+flat]) || (flat ? -1 : 1);
  if (flat) label(text, x, y + 18 * out * pixel, 13 * pixel, "center");
  else label(text, x + 12 * out * pixel, y, 13 * pixel, out > 0 ? "left" : "right");
}

/** Depth, or gap and required gap. */
function dimension(panel) {
  const { focus, demanded } = panel.finding;
  if (panel.slid || panel.away) return;
  if (focus.depth && focus.thin) {
    const half = times(focus.thin, focus.depth / 2);
    measure(panel, sub(focus.point, half), add(focus.point, half), lengthText(focus.depth), 0);
  } else if (focus.apart) {
    const [a, b] = focus.apart, two = !!(demanded && focus.thin);
    measure(panel, a, b, lengthText(norm(sub(b, a))), -two);
    if (two) measure(panel, a, add(a, times(focus.thin, demanded)), `required ${lengthText(demanded)}`, 1);
  }
}

/** Draws the line in which the surfaces of a pair without a common solid cross. */
function crossing(panel) {
  const all = panel.finding.crossing;
  if (!all || panel.slid) return;
  marks.beginPath();
  for (const [p, q] of all) {
    marks.moveTo(...onCanvas(panel, p));
    marks.lineTo(...onCanvas(panel, q));
  }
  for (const [width, color] of [[5, dark.matches ? "#1b1e24" : "#ffffff"], [2.5, dark.matches ? "#d9a3ff" : "#7b1fa2"]]) {
    marks.lineWidth = width * panel.pixel;
    marks.strokeStyle = color;
    marks.stroke();
  }
}

/** Draws the line in which the plane cuts an open mesh. */
function cutLine(panel, side) {
  const i = instances[panel.finding.pair[side]], mesh = i.middle && meshes[i.mesh];
  if (!mesh || mesh.solid) return;
  const { plane } = panel, rows = new Float32Array(13);
  rowsOf(i, panel.view, panel.shift(i), rows, 0);
  const [nx, ny, nz, w] = planeInView(panel);
  const at = (v, k) => rows[4 * k] * mesh.places[3 * v] + rows[4 * k + 1] * mesh.places[3 * v + 1] + rows[4 * k + 2] * mesh.places[3 * v + 2] + rows[4 * k + 3];
  const height = new Float32Array(mesh.places.length / 3);
  for (let v = 0; v < height.length; v++) height[v] = nx * at(v, 0) + ny * at(v, 1) + nz * at(v, 2) + w;
  const [left, bottom, width, tall] = panel.rect;
  marks.beginPath();
  for (let k = 0; k < mesh.index.length; k += 3) {
    const ends = [];
    for (let e = 0; e < 3; e++) {
      const p = mesh.index[k + e], q = mesh.index[k + (e + 1) % 3];
      if (height[p] > 0 === height[q] > 0) continue;
      const t = height[p] / (height[p] - height[q]);
      ends.push([0, 1].map((c) => at(p, c) + (at(q, c) - at(p, c)) * t));
    }
    if (ends.length !== 2) continue;
    ends.forEach(([x, y], n) => {
      const to = [left + (x / panel.half[0] + 1) / 2 * width, canvas.height - bottom - (y / panel.half[1] + 1) / 2 * tall];
      n ? marks.lineTo(...to) : marks.moveTo(...to);
    });
  }
  marks.lineWidth = 2 * panel.pixel;
  marks.strokeStyle = dark.matches ? ["#8fb8ff", "#f3b95a"][side] : ["#143474", "#804a00"][side];
  marks.stroke();
}

function drawMarks(panel) {
  const [left, bottom, width, height] = panel.rect;
  const { finding: f, pixel, mode } = panel;
  marks.save();
  marks.clearRect(left, canvas.height - bottom - height, width, height);
  marks.beginPath();
  marks.rect(left, canvas.height - bottom - height, width, height);
  marks.clip();
  const at = onCanvas(panel, f.focus.point);
  if (mode === "where" && panel.away) {
    // The place of the finding is that of its own pose.
  } else if (mode === "where") {
    ring(at, panel.main ? 22 : 13, pixel, !f.crossing);
  } else {
    if (panel.plane) [0, 1].forEach((side) => cutLine(panel, side));
    const box = f.focus.box ? corners(f.focus.box).map((c) => inView(panel.view, c)) : [];
    const long = Math.max(0, ...[0, 1].map((k) => Math.max(...box.map((c) => c[k])) - Math.min(...box.map((c) => c[k]))));
    const small = !(long / panel.half[0] / 2 * width > 12 * pixel);
    if (mode === "overlap" && !panel.away) crossing(panel);
    if (mode === "overlap" && small && !panel.slid && !panel.away) ring(at, 18, pixel, !f.crossing);
    if (!panel.inset) arrow(panel);
    if (mode === "section" && !panel.inner) dimension(panel);
  }
  scaleBar(panel);
  if (panel.inset) {
    stroke([[left, canvas.height - bottom - height], [left + width, canvas.height - bottom - height], [left + width, canvas.height - bottom], [left, canvas.height - bottom]], 3 * pixel, "#16191f", true);
    label(`×${digits(Math.round(panel.inset))}`, left + 8 * pixel, canvas.height - bottom - height + 14 * pixel, 13 * pixel);
  } else if (!panel.main) stroke([[left, canvas.height - bottom - height], [left, canvas.height - bottom], [left + width, canvas.height - bottom]], 2 * pixel, dark.matches ? "#3a404b" : "#d5d9e0");
  marks.restore();
  if (panel.inset) {
    const { outer } = panel, at = onCanvas(outer, f.focus.point), k = 0.5 / panel.inset;
    const [w, h] = [Math.max(5 * pixel, width * k), Math.max(5 * pixel, height * k)];
    stroke([[at[0] - w, at[1] - h], [at[0] + w, at[1] - h], [at[0] + w, at[1] + h], [at[0] - w, at[1] + h]], 1.5 * pixel, "#16191f", true);
    const [x, y] = [left + width / 2, canvas.height - bottom - height / 2];
    const [sx, sy] = [Math.sign(x - at[0]), Math.sign(y - at[1])];
    stroke([[at[0] + sx * w, at[1] + sy * h], [x - sx * width / 2, y - sy * height / 2]], pixel, "#16191f");
  }
}

// ---- drawing the stage

const state = { at: -1, view: "overlap", views: {}, plane: 0, slide: 0, values: homes, away: false, playing: 0 };
const selected = () => findings[state.at];
const MODES = ["overlap", "section", "where"];

/** View from above for a finding without chosen views. */
function plainViews(f) {
  const up = report.up;
  const side = Math.abs(up[0]) > 0.5 ? [0, 1, 0] : [1, 0, 0];
  const across = cross(up, side);
  const look = (into, size, centre) => {
    const right = unit(cross(into, up));
    return { right, up: cross(right, into), into, centre, size: [size, size] };
  };
  const into = unit(sub(times(sub(across, side), 1), times(up, 0.8)));
  const box = f.focus.box ? norm(sub(f.focus.box[1], f.focus.box[0])) : 0;
  const pair = Math.max(1, ...f.pair.map((i) => instances[i].radius));
  const all = instances.filter((i) => i.middle);
  const middle = all.length ? times(all.reduce((sum, i) => add(sum, i.middle), [0, 0, 0]), 1 / all.length) : f.focus.point;
  const size = Math.max(1, ...all.map((i) => norm(sub(i.middle, middle)) + i.radius));
  const thin = f.focus.thin ?? up;
  const normal = unit(cross(thin, Math.abs(dot(thin, up)) < 0.9 ? up : side));
  const right = unit(cross(normal, Math.abs(dot(normal, up)) < 0.9 ? up : across));
  const half = clamp(1.4 * box, 0.02 * pair, 1.6 * pair);
  return {
    overlap: look(into, clamp(5 * box, 0.12 * pair, 3 * pair), f.focus.point),
    section: { right, up: cross(right, normal), into: normal, centre: f.focus.point, size: [half, half] },
    where: look(into, 2.1 * size, middle),
  };
}

function resetViews(only) {
  const f = selected();
  const chosen = f.views ?? plainViews(f);
  for (const mode of only ?? MODES) state.views[mode] = structuredClone(chosen[mode]);
  if (!only || only.includes("section")) state.plane = 0;
  // The plane keeps its place and direction while the view turns.
  state.normal = chosen.section.into;
  state.point = f.focus.depth || f.focus.apart ? f.focus.point : chosen.section.centre;
}

/** Half the way of the plane's slider (mm). */
const planeRange = () => {
  const f = selected();
  const span = f.pair.map((i) => instances[i].radius).filter((r) => r > 0);
  return Math.max(span.length ? Math.min(...span) : 1, Math.max(...(state.views.section?.size ?? [1])) / 2);
};

/** Panels of the stage: the chosen view, and the other two beside it where there is room. */
function panels() {
  const f = selected();
  const scale = canvas.width / canvas.clientWidth;
  const width = canvas.clientWidth, height = canvas.clientHeight;
  const beside = width >= 640 ? Math.round(clamp(width * 0.3, 200, 340)) : 0;
  const rects = { [state.view]: [0, 0, width - beside, height] };
  MODES.filter((m) => beside && m !== state.view).forEach((m, k) => {
    const half = Math.round(height / 2);
    rects[m] = k ? [width - beside, 0, beside, half] : [width - beside, half, beside, height - half];
  });
  const by = f.moves && state.slide > 0
    ? times(f.moves.by, state.slide * (1 + report.tolerance / 4 / (norm(f.moves.by) || 1))) : null;
  const moving = f.moves ? f.pair[f.moves.side] : -1;
  const cut = $("cut").checked;
  const all = Object.entries(rects).map(([mode, r]) => {
    const rect = r.map((x) => Math.round(x * scale));
    const view = state.views[mode];
    const mm = Math.max(view.size[0] / rect[2], view.size[1] / rect[3]);
    const plane = mode === "section" || cut && mode === "overlap"
      ? { normal: state.normal, point: add(state.point, times(state.normal, -state.plane * planeRange())) } : null;
    return {
      mode, rect, view, plane, finding: f, main: mode === state.view, pixel: scale, css: r,
      half: [mm * rect[2] / 2, mm * rect[3] / 2], pair: f.pair.map((i) => instances[i]),
      ghost: $("ghost").checked, others: $("others").checked, slid: by, away: state.away, shift: (i) => by && i.k === moving ? by : null,
    };
  });
  const outer = all.find((p) => p.main);
  return outer.mode === "section" ? [...all, ...magnifier(outer)] : all;
}

/** Inset of the section for a depth, or gap, below 24 pixels: 48 pixels there, in a corner away from the place. */
function magnifier(outer) {
  const { finding: { focus }, view, half, css, pixel } = outer;
  const thin = focus.depth ?? (focus.apart ? norm(sub(...focus.apart)) : 0);
  const now = thin / half[0] / 2 * css[2];
  const [x, y] = inView(view, focus.point);
  // Nothing to enlarge: thick enough, turned, or out of sight.
  if (outer.away || !(now > 0 && now < 24) || Math.abs(dot(view.into, state.normal)) < 0.97 || Math.abs(x) > half[0] || Math.abs(y) > half[1]) return [];
  const [width, height] = [Math.round(css[2] * 0.36), Math.round(css[3] * 0.36)];
  // On the right, in the half without the place; the scale bar is on the left.
  const r = [css[0] + css[2] - width - 8, css[1] + (y > 0 ? 8 : css[3] - height - 8), width, height];
  const rect = r.map((v) => Math.round(v * pixel));
  const mm = thin / 48 / pixel;
  outer.inner = true;
  return [{ ...outer, main: false, inset: 48 / now, inner: false, outer, css: r, rect,
    view: { ...view, centre: focus.point }, half: [mm * rect[2] / 2, mm * rect[3] / 2] }];
}

/** Share of the samples of a drawing while it moves; software drivers get less. */
const speed = { moving: false, slow: false, timer: 0, frame: 0, last: 16 };

function drawStage() {
  speed.frame = 0;
  if (!gl || gl.isContextLost() || state.at < 0) return;
  const scale = Math.max(devicePixelRatio || 1, speed.slow ? 1 : 2);
  const largest = Math.sqrt(6e6 / Math.max(1, canvas.clientWidth * canvas.clientHeight));
  const size = [canvas.clientWidth, canvas.clientHeight].map((x) => Math.max(1, Math.round(x * Math.min(scale, largest))));
  if (canvas.width !== size[0] || canvas.height !== size[1]) {
    for (const c of [canvas, $("marks")]) [c.width, c.height] = size;
  }
  const all = panels();
  const coarse = speed.moving ? (speed.last > 60 ? 0.5 : 1) / Math.min(2, scale) : 1;
  const start = performance.now();
  for (const panel of all.sort((x, y) => (x.main + 2 * Boolean(x.inset)) - (y.main + 2 * Boolean(y.inset)))) {
    // While the main view moves, the others stay as they are.
    if (speed.moving && !panel.main && !panel.inset && !speed.all) continue;
    panel.samples = [panel.rect[2], panel.rect[3]].map((x) => Math.max(1, Math.round(x * coarse)));
    drawPanel(panel);
    drawMarks(panel);
  }
  if (speed.moving) {
    gl.finish();
    speed.last = performance.now() - start;
  }
  const main = all.find((p) => p.main);
  canvas.dataset.mm = String(2 * main.half[0] / main.css[2]);
  canvas.dataset.panel = main.css.join(" ");
  canvas.dataset.drawn = String(Number(canvas.dataset.drawn ?? 0) + 1);
  canvas.dataset.moving = String(speed.moving);
}

/** Asks for a drawing: at once and coarser while something moves, fine when it rests. */
function redraw(moving = false, all = false) {
  speed.moving = moving;
  speed.all = all;
  canvas.dataset.moving = "true";
  if (!speed.frame) speed.frame = requestAnimationFrame(drawStage);
  clearTimeout(speed.timer);
  if (moving) speed.timer = setTimeout(() => redraw(false), 160);
}

function placeLabels() {
  const labels = $("labels");
  labels.replaceChildren();
  if (state.at < 0) return;
  for (const panel of panels()) {
    if (panel.main || panel.inset) continue;
    const name = { overlap: "Overlap", section: "Section", where: "Where" }[panel.mode];
    const button = make("button", "", `${name} ⤢`);
    button.type = "button";
    button.setAttribute("aria-label", `Enlarge ${name.toLowerCase()}`);
    button.style.left = `${panel.css[0] + 8}px`;
    button.style.top = `${canvas.clientHeight - panel.css[1] - panel.css[3] + 8}px`;
    button.addEventListener("click", () => setView(panel.mode));
    labels.append(button);
  }
}

// ---- turning, shifting, zooming

const main = () => panels().find((p) => p.main);

function orbit(dx, dy) {
  const view = state.views[state.view], pivot = state.view === "where" ? view.centre : selected().focus.point;
  const turns = [[report.up, -dx], [view.right, -dy]];
  for (const [axis, angle] of turns) {
    for (const name of ["right", "up", "into"]) view[name] = unit(turned(view[name], axis, angle));
    view.centre = add(pivot, turned(sub(view.centre, pivot), axis, angle));
  }
  // Removes what rounding adds up.
  view.right = unit(cross(view.into, view.up));
  view.up = cross(view.right, view.into);
  redraw(true);
}

function shift(dx, dy) {
  const view = state.views[state.view], mm = 2 * main().half[0] / main().css[2];
  view.centre = add(view.centre, add(times(view.right, -dx * mm), times(view.up, dy * mm)));
  redraw(true);
}

/** Zooms about a place of the stage (CSS pixels), or about its middle. */
function zoom(factor, x, y) {
  const panel = main(), view = panel.view;
  const [left, , width, height] = panel.css;
  const k = clamp(factor, 0.2, 5);
  if (!(view.size[0] * k > 1e-6 && view.size[0] * k < 1e9)) return;
  if (x !== undefined) {
    const mm = 2 * panel.half[0] / width;
    const to = [(x - left - width / 2) * mm, (height / 2 - y) * mm];
    view.centre = add(view.centre, add(times(view.right, to[0] * (1 - k)), times(view.up, to[1] * (1 - k))));
  }
  view.size = view.size.map((s) => s * k);
  redraw(true);
}

function setPlane(value) {
  state.plane = clamp(value, -1, 1);
  if (state.view === "overlap" && !$("cut").checked) $("cut").checked = true;
  showSliders();
  redraw(true, true);
}

function setSlide(value) {
  state.slide = clamp(value, 0, 1);
  showSliders();
  redraw(true, true);
}

/** Values of all joints at the pose of a finding. */
const poseOf = (f) => f.run ? f.run.values : homes;

/** Sets the values of all joints; away from the finding's pose its marks are hidden. */
function setValues(values, moving = true) {
  const f = selected(), own = poseOf(f);
  state.values = values;
  state.away = state.values.some((v, k) => Math.abs(v - own[k]) > 1e-9 * (1 + Math.abs(own[k])));
  placeAll(state.values);
  canvas.dataset.places = JSON.stringify(f.pair.map((k) => instances[k].rows.map((row, axis) => [...row, instances[k].at[axis]])));
  canvas.dataset.values = JSON.stringify(state.values);
  showJoints();
  if (moving) redraw(true, true);
}

const valueText = (joint, value) => joint.type === "prismatic" ? lengthText(value) : `${digits(Number(value.toFixed(6)))}°`;

/** Least and largest value of a joint's slider: its range, a turn, or 100 mm to both sides. */
const rangeOf = (joint) => joint.range ?? (joint.type === "prismatic" ? [joint.home - 100, joint.home + 100] : [joint.home, joint.home + 360]);

/** Makes a slider for each joint with a value of its own. */
function makeJointSliders() {
  const own = joints.map((joint, k) => [joint, k]).filter(([joint, k]) => !joint.follows && driven[k] && joint.type !== "fixed");
  $("joints").hidden = !own.length;
  $("joint-list").replaceChildren(...own.map(([joint, k]) => {
    const [low, high] = rangeOf(joint);
    const input = Object.assign(document.createElement("input"), { type: "range", id: `joint-${k}`, step: "any" });
    const ends = [low, high, joint.home, ...findings.filter((f) => f.run).map((f) => f.run.values[k])];
    input.min = String(Math.min(...ends));
    input.max = String(Math.max(...ends));
    input.addEventListener("input", () => setValues(movedTo(state.values, state.values.map((v, n) => n === k ? Number(input.value) : v))));
    const out = Object.assign(document.createElement("output"), { id: `joint-${k}-out` });
    return make("label", "", make("span", "", short(shown(joint.name), 28)), input, out);
  }));
}

function showJoints() {
  joints.forEach((joint, k) => {
    const input = $(`joint-${k}`);
    if (!input) return;
    input.value = String(state.values[k]);
    const text = valueText(joint, state.values[k]);
    $(`joint-${k}-out`).value = text;
    input.setAttribute("aria-valuetext", text);
  });
  const f = selected();
  $("play").hidden = !playFrom(f);
  $("play").textContent = f.run ? `Play ${short(shown(f.run.name), 24)}` : "Play";
  $("pose").hidden = !state.away;
  $("pose").textContent = f.run ? "Worst pose" : "As drawn";
}

/** Values to play from: a pose of the sweep that keeps the limits; for a pose, the drawing. */
const playFrom = (f) => f.run && (f.run.safe ?? (f.run.kind === "pose" ? homes : null));

/** Plays from a safe pose to the worst one; with reduced motion, changes between the two. */
function play() {
  const f = selected(), from = playFrom(f);
  if (!from) return;
  const to = f.run.values;
  if (calm.matches) return setValues(state.away ? to : movedTo(to, from));
  const start = performance.now(), run = ++state.playing;
  const frame = (now) => {
    if (selected() !== f || run !== state.playing) return;
    const t = clamp((now - start) / 2000, 0, 1);
    const between = from.map((v, k) => v + (to[k] - v) * t);
    setValues(t < 1 ? movedTo(state.values, between) : to);
    if (t < 1) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

function showSliders() {
  const f = selected();
  $("plane").value = String(state.plane);
  $("plane-out").value = lengthText(state.plane * planeRange());
  $("slide-label").hidden = !f.moves;
  if (!f.moves) return;
  $("slide").value = String(state.slide);
  $("slide-name").textContent = `Move ${"AB"[f.moves.side]} out`;
  $("slide-out").value = `${lengthText(state.slide * norm(f.moves.by))} of ${lengthText(norm(f.moves.by))}`;
}

/** Instance under a place of the stage (CSS pixels), or -1. */
function pick(x, y) {
  const panel = panels().reverse().find((p) => x >= p.css[0] && x < p.css[0] + p.css[2]
    && canvas.clientHeight - y >= p.css[1] && canvas.clientHeight - y < p.css[1] + p.css[3]);
  if (!panel || !gl || gl.isContextLost()) return -1;
  panel.samples = [panel.css[2], panel.css[3]];
  const at = [Math.floor(x - panel.css[0]), Math.floor(canvas.clientHeight - y - panel.css[1])];
  const plane = panel.plane && planeInView(panel);
  sizeTargets(...panel.samples);
  const look = (found, reach) => {
    drawLayer(targets.context, found, panel, reach, plane);
    const bytes = new Uint8Array(4);
    gl.readBuffer(gl.COLOR_ATTACHMENT1);
    gl.readPixels(at[0], at[1], 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    gl.readBuffer(gl.COLOR_ATTACHMENT0);
    return bytes[3] ? bytes[0] + 256 * bytes[1] + 65536 * bytes[2] : -1;
  };
  const pair = new Map();
  for (const i of panel.pair) if (i.middle) pair.set(i.mesh, [...pair.get(i.mesh) ?? [], i]);
  if (panel.mode === "where") return look(visible(panel, () => true), sceneReach(panel));
  const found = look(pair, pairReach(panel));
  return found >= 0 || !panel.others ? found : look(visible(panel, () => true), sceneReach(panel));
}

function showPicked(x, y) {
  const at = pick(x, y), box = $("picked");
  box.hidden = at < 0;
  if (at < 0) return;
  const n = findings.filter((f) => involves(f, at)).length;
  const show = make("button", "", n === 1 ? "Show its finding" : `Show its ${n} findings`);
  show.type = "button";
  show.addEventListener("click", () => { box.hidden = true; filterBy(at); });
  box.replaceChildren(make("strong", "", shown(idOf(at))), make("div", "", `part ${shown(report.instances[at].part)}`),
    ...(n ? [show] : [make("div", "", "no finding")]));
  box.style.left = `${clamp(x + 12, 4, Math.max(4, canvas.clientWidth - 330))}px`;
  box.style.top = `${clamp(y + 12, 4, Math.max(4, canvas.clientHeight - 110))}px`;
}

function listenToStage() {
  const pointers = new Map();
  let travelled = 0, spread = 0;
  canvas.addEventListener("contextmenu", (e) => e.preventDefault());
  canvas.addEventListener("pointerdown", (e) => {
    canvas.setPointerCapture(e.pointerId);
    pointers.set(e.pointerId, [e.offsetX, e.offsetY]);
    travelled = pointers.size > 1 ? 99 : 0;
    spread = 0;
    $("picked").hidden = true;
  });
  canvas.addEventListener("pointermove", (e) => {
    const last = pointers.get(e.pointerId);
    if (!last) return;
    const d = [e.offsetX - last[0], e.offsetY - last[1]];
    pointers.set(e.pointerId, [e.offsetX, e.offsetY]);
    travelled += Math.hypot(...d);
    if (travelled < 4) return;
    if (pointers.size === 2) {
      const [p, q] = [...pointers.values()];
      const now = Math.hypot(p[0] - q[0], p[1] - q[1]);
      if (spread) zoom(spread / now, (p[0] + q[0]) / 2, (p[1] + q[1]) / 2);
      spread = now;
      shift(d[0] / 2, d[1] / 2);
    } else if (e.shiftKey) {
      setPlane(state.plane - d[1] / canvas.clientHeight * 2);
    } else if (e.buttons & 6 || e.ctrlKey) {
      shift(...d);
    } else {
      orbit(d[0] * 0.008, d[1] * 0.008);
    }
  });
  const end = (e) => {
    if (!pointers.delete(e.pointerId)) return;
    if (e.type === "pointerup" && travelled < 4 && e.button === 0) showPicked(e.offsetX, e.offsetY);
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("wheel", (e) => {
    e.preventDefault();
    zoom(Math.exp(clamp(e.deltaY * (e.deltaMode ? 20 : 1), -300, 300) * 0.0015), e.offsetX, e.offsetY);
  }, { passive: false });
}

// ---- 7. list: only the rows in sight exist

const ROW = 63;
const list = { shown: [], instance: -1 };

const involves = (f, instance) => f.pair.includes(instance) || (f.members ?? []).some((m) => m.pair.includes(instance));

/** Text of a finding for the filter. */
const searched = (f) => {
  const pairs = [f.pair, ...(f.members ?? []).map((m) => m.pair)];
  return `#${f.row} ${f.id} ${f.run?.name ?? ""} ${pairs.slice(0, 200).flat().map((i) => `${idOf(i)} ${report.instances[i].part}`).join(" ")}`.toLowerCase();
};
let texts = null;

const nameOf = (f, side, most = 28) => short(shown(f.names[side]), most);

/** Length that says how bad a finding is. */
const extent = (f) => f.status === "undecided" ? "?" : f.facts.find(([k]) => k === "depth" || k === "gap")?.[1].split(",")[0] ?? "";

function applyFilter(keep = true) {
  texts ??= findings.map(searched);
  const words = $("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  const status = $("status").value, standing = $("standing").value;
  const shownRows = [...findings.keys()].filter((k) => {
    const f = findings[k];
    return (!status || f.status === status) && (!standing || f.baseline === standing)
      && (list.instance < 0 || involves(f, list.instance)) && words.every((w) => texts[k].includes(w));
  });
  const order = { depth: (f) => -(f.depth ?? -1e300), volume: (f) => -(f.volume ?? -1e300) }[$("sort").value];
  if (order) shownRows.sort((x, y) => order(findings[x]) - order(findings[y]) || x - y);
  if ($("sort").value === "name") {
    const compare = new Intl.Collator("en", { numeric: true }).compare;
    shownRows.sort((x, y) => compare(findings[x].names.join(" "), findings[y].names.join(" ")) || x - y);
  }
  list.shown = shownRows;
  const more = report.not_listed ? `, ${report.not_listed} more are not listed` : "";
  $("shown").textContent = `${shownRows.length} of ${findings.length} ${findings.length === 1 ? "line" : "lines"}${more}`;
  $("instance").hidden = list.instance < 0;
  if (list.instance >= 0) $("instance").textContent = `Only ${shown(idOf(list.instance))}  ✕`;
  if (!keep) $("list").scrollTop = 0;
  showRows();
}

function filterBy(instance) {
  list.instance = instance;
  applyFilter(false);
  if (list.shown.length && !list.shown.includes(state.at)) select(list.shown[0]);
}

function showRows() {
  const box = $("list"), body = $("rows"), n = list.shown.length;
  const first = clamp(Math.floor(box.scrollTop / ROW) - 6, 0, Math.max(0, n - 1));
  const last = Math.min(n, first + Math.ceil(box.clientHeight / ROW) + 14, first + 80);
  const space = (rows) => {
    const cell = make("td");
    cell.colSpan = 3;
    cell.style.height = `${rows * ROW}px`;
    const row = make("tr", "space", cell);
    row.setAttribute("aria-hidden", "true");
    return row;
  };
  const focused = document.activeElement?.closest?.("#rows tr")?.dataset.at;
  const rows = list.shown.slice(first, last).map((k, n) => {
    const f = findings[k];
    const a = make("span", "name-a", nameOf(f, 0)), b = make("span", "name-b", nameOf(f, 1));
    const group = f.members ? ` · ${f.members.length} pairs` : "";
    const standing = f.baseline ? ` · ${f.baseline}` : "";
    const run = f.run ? ` in ${short(shown(f.run.name), 24)}` : "";
    const word = make("small", f.status, `${f.status.replace("_", " ")}${run}${f.severity === "warning" ? " (warning)" : ""}${standing}${group}`);
    const button = make("button", "", a, b, word);
    button.type = "button";
    if (k === state.at) button.setAttribute("aria-current", "true");
    const row = make("tr", k === state.at ? "on" : "", make("td", "", String(f.row ?? "")), make("td", "", button), make("td", "", extent(f)));
    row.dataset.at = String(k);
    row.setAttribute("aria-rowindex", String(first + n + 2));
    row.addEventListener("click", () => select(k));
    return row;
  });
  const rest = [];
  if (first > 0) rest.push(space(first));
  body.replaceChildren(...rest, ...rows, ...(last < n ? [space(n - last)] : []));
  body.parentElement.setAttribute("aria-rowcount", String(n + 1));
  if (focused !== undefined) body.querySelector(`tr[data-at="${focused}"] button`)?.focus({ preventScroll: true });
}

/** Scrolls the list to the selected row. */
function reveal() {
  const k = list.shown.indexOf(state.at), box = $("list");
  if (k >= 0) {
    const top = k * ROW, head = 26;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + ROW + head > box.scrollTop + box.clientHeight) box.scrollTop = top + ROW + head - box.clientHeight;
  }
  showRows();
}

function step(by) {
  if (!list.shown.length) return;
  const at = list.shown.indexOf(state.at);
  const inList = $("list").contains(document.activeElement);
  select(list.shown[at < 0 ? 0 : clamp(at + by, 0, list.shown.length - 1)]);
  if (inList) ($("rows").querySelector("tr.on button") ?? $("list")).focus({ preventScroll: true });
}

// ---- 8. details, controls, keys, address, start

function showDetails() {
  const f = selected();
  const name = (side) => {
    const button = make("button", side ? "name-b" : "name-a", nameOf(f, side, 64));
    button.type = "button";
    button.title = `All findings of ${shown(idOf(f.pair[side]))}`;
    button.addEventListener("click", () => filterBy(f.pair[side]));
    return button;
  };
  $("pair").replaceChildren(name(0), make("span", "times", "×"), name(1));
  $("sentence").replaceChildren(...f.lines.slice(1).map((line) => make("span", "", line)));
  const open = f.pair.filter((i) => !report.meshes[report.instances[i].mesh].solid);
  const place = f.run ? [["in", f.run.place]] : [];
  const facts = [["status", f.status.replace("_", " ")], ...place, ...f.facts.filter(([k]) => k !== "at")];
  if (open.length) facts.push(["open mesh", `${open.map((i) => shown(report.instances[i].part)).join(", ")}: no inside, so no hatching and no red`]);
  $("facts").replaceChildren(...facts.map(([key, text], k) => {
    const row = make("div", k < 2 ? "main" : "", make("dt", "", key), make("dd", k ? "" : f.status, text));
    return row;
  }));
  showCurve(f);
  const line = Boolean(f.crossing);
  $("legend-both").className = line ? "line" : "both";
  $("legend-both").nextSibling.textContent = line ? "surfaces cross" : "overlap";
  $("legend-a").textContent = `A ${nameOf(f, 0)}`;
  $("legend-b").textContent = `B ${nameOf(f, 1)}`;
  canvas.setAttribute("aria-label", `3D view, ${state.view}: ${f.sentence}`);
  for (const button of $("views").children) button.setAttribute("aria-pressed", String(button.dataset.view === state.view));
  $("plane-label").hidden = state.view === "where";
  showSliders();
  placeLabels();
}

/** Namespace of drawings. */
const drawings = $("curve").firstElementChild.namespaceURI;

/** Makes an element of a drawing with attributes. */
const draw = (tag, attributes, ...children) => {
  const element = document.createElementNS(drawings, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
};

/** Least and largest gap of a plot (mm). A far gap is cut off, so that a small one stays visible. */
function curveScale(f, gaps) {
  const lows = gaps.map(([low]) => low).filter((low) => low !== null);
  const highs = gaps.map(([low, high]) => high ?? low).filter((high) => high !== null);
  const bottom = Math.min(0, ...lows), most = Math.max(0, ...highs);
  const top = Math.min(most, Math.max(5 * -Math.min(0, ...highs), 4 * (f.demanded ?? 0), 100 * report.tolerance, -bottom));
  const open = gaps.some(([, high]) => high === null || high > top);
  return { bottom, top: top || report.tolerance, open };
}

/** Says the staircase of a finding in words. */
function curveText(curve, { top, open }) {
  const both = (low, high) => low === high ? low : `${low} to ${high}`;
  const gap = ([low, high]) => low === null ? high === null ? "unknown" : `at most ${lengthText(high)}`
    : high === null ? `at least ${lengthText(low)}` : both(lengthText(low), lengthText(high));
  const worst = curve.worst ? `; nearest part ${curve.worst.from} … ${curve.worst.to}, gap ${gap(curve.gaps[curve.worst.part])}` : "";
  return `Gap from ${curve.from} to ${curve.to}, up to ${lengthText(top)}${open ? " and more" : ""}${worst}`;
}

/** Draws the bounds of the gap over a sweep, with a mark at the nearest part; an overlap is red. */
function showCurve(f) {
  const curve = f.run?.curve, box = $("curve");
  box.hidden = !curve;
  if (!curve) return box.replaceChildren();
  const WIDTH = 480, HEIGHT = 60, HEAD = 12;
  const scale = curveScale(f, curve.gaps), { bottom, top } = scale, wide = WIDTH / curve.gaps.length;
  const y = (gap) => HEAD + HEIGHT * (top - clamp(gap, bottom, top)) / (top - bottom);
  const bar = (k, className, from, to) => to > from
    ? [draw("rect", { class: className, x: k * wide, width: wide, y: y(to), height: Math.max(y(from) - y(to), 1.5) })] : [];
  const bars = curve.gaps.flatMap(([low, high], k) => {
    const [from, to] = [low ?? bottom, high ?? top];
    return [...bar(k, "sure", 0, from), ...bar(k, "maybe", Math.max(from, 0), to),
      ...bar(k, "deep", to, 0), ...bar(k, "perhaps", from, Math.min(to, 0))];
  });
  const line = (gap, className) => draw("line", { class: className, x1: 0, x2: WIDTH, y1: y(gap), y2: y(gap) });
  const lines = [line(0, "zero"), ...(f.demanded ? [line(f.demanded, "zero demanded")] : [])];
  const at = curve.worst ? (curve.worst.part + 0.5) * wide : 0;
  const mark = curve.worst ? [draw("path", { class: "worst", d: `M${at - 5} 1h10l-5 9z` })] : [];
  const text = shown(curveText(curve, scale));
  const view = { viewBox: `0 0 ${WIDTH} ${HEAD + HEIGHT + 1}`, preserveAspectRatio: "none", role: "img", "aria-label": text };
  box.replaceChildren(draw("svg", view, ...bars, ...lines, ...mark), make("figcaption", "", text));
}

/** Selects a finding; `push` makes an entry of the history. */
function select(at, push = true) {
  if (at === state.at) return;
  state.at = at;
  state.slide = 0;
  setValues(poseOf(selected()), false);
  $("picked").hidden = true;
  $("message").hidden = true;
  resetViews();
  showDetails();
  reveal();
  $("live").textContent = selected().sentence;
  address(push);
  redraw();
}

function setView(view) {
  state.view = view;
  showDetails();
  address(false);
  redraw();
}

function address(push) {
  const text = `#finding=${selected().id}&view=${state.view}`;
  if (location.hash === text) return;
  // A sandboxed page has no history of its own.
  try {
    history[push ? "pushState" : "replaceState"](null, "", text);
  } catch { /* The address stays as it is. */ }
}

/** Follows the address; returns true if it names a finding of this page. */
function follow() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  const id = wanted.get("finding");
  if (MODES.includes(wanted.get("view"))) state.view = wanted.get("view");
  if (!id) return false;
  const at = findings.findIndex((f) => f.id === id || (f.members ?? []).some((m) => m.id === id));
  if (at < 0) {
    const text = `This page has no finding ${shown(id)}: it is resolved, accepted elsewhere, or beyond the list.`;
    $("message").textContent = text;
    $("message").hidden = false;
    return false;
  }
  if (at === state.at) setView(state.view);
  else select(at, false);
  return true;
}

function reset() {
  resetViews([state.view]);
  if (state.view === "section") showSliders();
  redraw();
}

function slideOutAndBack() {
  if (!selected().moves) return;
  const from = state.slide, to = from > 0.5 ? 0 : 1;
  if (calm.matches) return setSlide(to);
  const start = performance.now();
  const frame = (now) => {
    const t = clamp((now - start) / 900, 0, 1);
    setSlide(from + (to - from) * t);
    if (t < 1) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

const toggle = (id) => { $(id).checked = !$(id).checked; redraw(); };

const KEYS = {
  j: () => step(1), k: () => step(-1), 1: () => setView("overlap"), 2: () => setView("section"), 3: () => setView("where"),
  "[": () => setPlane(state.plane - 0.02), "]": () => setPlane(state.plane + 0.02), m: slideOutAndBack, p: play,
  x: () => toggle("ghost"), o: () => toggle("others"), c: () => toggle("cut"), r: reset,
  f: () => $("filter").focus(), "/": () => $("filter").focus(), "?": () => $("keys").showModal(),
  "+": () => zoom(0.8), "=": () => zoom(0.8), "-": () => zoom(1.25),
};
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function listenToKeys() {
  // Single keys act only while the list or the 3D view has the focus.
  const act = (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || state.at < 0) return;
    if (ARROWS[e.key] && e.currentTarget === $("stage")) orbit(ARROWS[e.key][0] * 0.1, ARROWS[e.key][1] * 0.1);
    else if ((e.key === "ArrowDown" || e.key === "ArrowUp") && e.currentTarget === $("list")) step(e.key === "ArrowDown" ? 1 : -1);
    else if (KEYS[e.key]) KEYS[e.key]();
    else return;
    e.preventDefault();
  };
  $("list").addEventListener("keydown", act);
  $("stage").addEventListener("keydown", act);
}

function listenToControls() {
  for (const button of $("views").children) button.addEventListener("click", () => setView(button.dataset.view));
  for (const id of ["ghost", "others", "cut"]) $(id).addEventListener("change", () => redraw());
  $("plane").addEventListener("input", () => setPlane(Number($("plane").value)));
  $("slide").addEventListener("input", () => setSlide(Number($("slide").value)));
  $("play").addEventListener("click", play);
  $("pose").addEventListener("click", () => setValues(poseOf(selected())));
  $("reset").addEventListener("click", reset);
  $("help").addEventListener("click", () => $("keys").showModal());
  $("close").addEventListener("click", () => $("keys").close());
  $("filter").addEventListener("input", () => applyFilter(false));
  for (const id of ["status", "standing", "sort"]) $(id).addEventListener("change", () => applyFilter(false));
  $("instance").addEventListener("click", () => filterBy(-1));
  $("list").addEventListener("scroll", showRows);
  addEventListener("hashchange", follow);
  addEventListener("popstate", follow);
  new ResizeObserver(() => { if (state.at >= 0) { placeLabels(); redraw(); } showRows(); }).observe($("stage"));
  dark.addEventListener("change", () => redraw());
}

function fillChoices() {
  const fill = (id, all, values) => {
    $(id).append(new Option(all, ""), ...values.map((v) => new Option(v.replace("_", " "), v)));
    $(id).hidden = values.length < 2;
  };
  const distinct = (key) => [...new Set(findings.map((f) => f[key]).filter(Boolean))];
  fill("status", "every status", distinct("status"));
  fill("standing", "new and accepted", distinct("baseline"));
  const warnings = report.warnings;
  $("notes").hidden = !warnings.length;
  $("notes").firstElementChild.textContent = `${warnings.length} ${warnings.length === 1 ? "warning" : "warnings"} of the run`;
  $("notes").lastElementChild.replaceChildren(...warnings.map((w) =>
    make("li", "", shown(`${w.part ? `${w.part}: ` : ""}${w.message} [${w.code}]`))));
}

/** Static table and pictures leave the document while the program runs, and return for printing. */
function keepStaticForPrint() {
  const still = $("static"), place = still.nextSibling;
  const back = () => { if (!still.isConnected) place.parentNode.insertBefore(still, place); };
  still.remove();
  addEventListener("beforeprint", back);
  addEventListener("afterprint", () => still.remove());
  matchMedia("print").addEventListener("change", (e) => e.matches ? back() : still.remove());
}

function connect() {
  gl = canvas.getContext("webgl2", { alpha: false, antialias: false, depth: false, preserveDrawingBuffer: true });
  if (!gl) return false;
  setUp();
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  speed.slow = /swiftshader|llvmpipe|software|basic render/i.test(info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : "");
  canvas.addEventListener("webglcontextlost", (e) => e.preventDefault());
  canvas.addEventListener("webglcontextrestored", () => { setUp(); redraw(); });
  return true;
}

async function start() {
  let usable = false;
  try {
    usable = "DecompressionStream" in window && Boolean(new DecompressionStream("deflate-raw")) && connect();
  } catch (error) {
    usable = false;
  }
  if (!usable || !findings.length) {
    if (usable) $("plain").hidden = true;
    root.dataset.ready = "static";
    return;
  }
  root.classList.add("live");
  $("app").hidden = false;
  keepStaticForPrint();
  fillChoices();
  makeJointSliders();
  listenToControls();
  listenToKeys();
  listenToStage();
  applyFilter();
  if (!follow()) {
    const message = $("message").hidden;
    select(0, false);
    $("message").hidden = message;
  }
  // The pair of the selected finding comes first.
  let last = performance.now();
  for (let order = meshOrder(selected()); order.length; order = meshOrder(selected())) {
    await readMesh(order[0]);
    if (selected().pair.every((i) => instances[i].middle)) $("busy").hidden = true;
    if (performance.now() - last > 250) {
      redraw();
      await new Promise((done) => setTimeout(done));
      last = performance.now();
    }
  }
  $("busy").hidden = true;
  if (!selected().views) resetViews();
  redraw();
  requestAnimationFrame(() => setTimeout(() => { root.dataset.ready = "yes"; }));
}

start();
})();
