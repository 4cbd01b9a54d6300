// The scene, vectors, and where bodies are at a time: straight lines and normalised quaternions between frames.
const scene = JSON.parse(document.getElementById("scene").textContent);
const canvas = document.getElementById("stage"), ctx = canvas.getContext("2d");
const element = (id) => document.getElementById(id);
const floats = (text) => {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const view = new DataView(bytes.buffer), out = new Float32Array(bytes.length / 4);
  for (let k = 0; k < out.length; k++) out[k] = view.getFloat32(4 * k, true);
  return out;
};
const wholes = (text) => {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0)), out = new Uint16Array(bytes.length / 2);
  for (let k = 0; k < out.length; k++) out[k] = bytes[2 * k] + 256 * bytes[2 * k + 1];
  return out;
};
const times = floats(scene.times), poses = floats(scene.poses);
const pushes = scene.arrows ? floats(scene.forces) : null;
const n = scene.bodies, frames = times.length, duration = times[frames - 1];
element("about").textContent = scene.about;

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scaled = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => scaled(a, 1 / (Math.hypot(...a) || 1));
const between = (a, b, s) => [a[0] + (b[0] - a[0]) * s, a[1] + (b[1] - a[1]) * s, a[2] + (b[2] - a[2]) * s];

const angles = scene.joints.length ? floats(scene.angles) : null;
let now = [0, 0, 0];  // the frames before and after, and how far it is between them
const R = Array.from({ length: n }, () => new Float64Array(9)), P = Array.from({ length: n }, () => [0, 0, 0]);
function pose(frame, next, s, body) {
  const i = 7 * (frame * n + body), j = 7 * (next * n + body), q = [0, 0, 0, 0];
  let same = 0;
  for (let k = 3; k < 7; k++) same += poses[i + k] * poses[j + k];
  for (let k = 0; k < 3; k++) P[body][k] = poses[i + k] + (poses[j + k] - poses[i + k]) * s;
  for (let k = 0; k < 4; k++) q[k] = poses[i + 3 + k] * (1 - s) + poses[j + 3 + k] * s * (same < 0 ? -1 : 1);
  const length = Math.hypot(...q) || 1, [x, y, z, w] = q.map((value) => value / length), m = R[body];
  m[0] = 1 - 2 * (y * y + z * z); m[1] = 2 * (x * y - w * z); m[2] = 2 * (x * z + w * y);
  m[3] = 2 * (x * y + w * z); m[4] = 1 - 2 * (x * x + z * z); m[5] = 2 * (y * z - w * x);
  m[6] = 2 * (x * z - w * y); m[7] = 2 * (y * z + w * x); m[8] = 1 - 2 * (x * x + y * y);
}
const arrows = Array.from({ length: scene.arrows || 0 }, () => ({ from: [0, 0, 0], to: [0, 0, 0], on: false }));
function setArrows(frame, next, s) {
  arrows.forEach((arrow, k) => {
    const i = 6 * (frame * arrows.length + k), j = 6 * (next * arrows.length + k);
    const part = (c) => pushes[i + c] * (1 - s) + pushes[j + c] * s, force = [part(3), part(4), part(5)];
    arrow.on = Math.hypot(...force) > 0;
    arrow.from = [part(0), part(1), part(2)];
    arrow.to = add(arrow.from, scaled(force, scene.arrow_scale));
  });
}
function setTime(t) {
  let low = 0, high = frames - 1;
  while (high - low > 1) { const mid = (low + high) >> 1; if (times[mid] <= t) low = mid; else high = mid; }
  const span = times[high] - times[low], s = span > 0 ? Math.min(1, Math.max(0, (t - times[low]) / span)) : 0;
  for (let body = 0; body < n; body++) pose(low, high, s, body);
  setArrows(low, high, s);
  now = [low, high, s];
}
const turned = (m, p) => [m[0] * p[0] + m[1] * p[1] + m[2] * p[2], m[3] * p[0] + m[4] * p[1] + m[5] * p[2],
  m[6] * p[0] + m[7] * p[1] + m[8] * p[2]];
const world = (body, p) => add(turned(R[body], p), P[body]);
const at = (point) => world(point[0], [point[1], point[2], point[3]]);
