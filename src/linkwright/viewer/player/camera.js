// Colours of the two themes, and the camera.
let dark = matchMedia("(prefers-color-scheme: dark)").matches, theme = null;
const shades = new Map();
function shade(colour, amount) {
  const key = colour + amount;
  if (!shades.has(key)) {
    const target = amount > 0 ? 255 : 0, strength = Math.abs(amount);
    const parts = [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16));
    shades.set(key, `rgb(${parts.map((x) => Math.round(x + (target - x) * strength)).join(",")})`);
  }
  return shades.get(key);
}
const colourOf = (group) => group === -1 ? theme.joint : group === -2 ? scene.palette.closure : group === -3 ? theme.post
  : scene.palette.limbs[group === 0 ? 0 : 1 + (group - 1) % (scene.palette.limbs.length - 1)];
function setTheme() {
  theme = dark ? scene.palette.dark : scene.palette.light;
  document.documentElement.classList.toggle("dark", dark);
  document.documentElement.style.colorScheme = dark ? "dark" : "light";
}

const focal = 2.6;  // of half the smaller side: a moderate tele lens, so that parallels stay nearly so
const camera = {};
let width = 0, height = 0, eye, right, up, forward, pixels;
function resetCamera() {
  const v = scene.view;
  Object.assign(camera, { azimuth: v.azimuth, elevation: v.elevation, target: [...v.target], pan: [0, 0, 0] });
  let low = 0.1 * v.radius, high = 60 * v.radius;
  for (let k = 0; k < 40; k++) {
    camera.distance = (low + high) / 2;
    if (fits()) high = camera.distance; else low = camera.distance;
  }
  camera.distance = high;
}
const margins = { side: 40, top: 70, bottom: 100 };
function fits() {  // whether all that is drawn is inside the free part of the window
  aim();
  const shift = scene.view.follow ? sub(centre(), camera.target) : [0, 0, 0];
  for (let k = 0; k < 8; k++) {
    const corner = add([0, 1, 2].map((i) => scene.view.box[(k >> i) & 1][i]), shift), d = sub(corner, eye);
    if (dot(d, forward) < near * camera.distance) return false;
    const p = project(corner);
    if (p[0] < margins.side || p[0] > width - margins.side || p[1] < margins.top || p[1] > height - margins.bottom) return false;
  }
  return true;
}
function measure() { width = canvas.clientWidth; height = canvas.clientHeight; }
function aim() {
  const { azimuth: a, elevation: e } = camera;
  const outward = [Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e)];
  const target = add(scene.view.follow ? centre() : camera.target, camera.pan);
  eye = add(target, scaled(outward, camera.distance));
  forward = scaled(outward, -1);
  right = unit(cross(forward, [0, 0, 1]));
  up = cross(right, forward);
  pixels = focal * Math.min(width, height) / 2;
}
function centre() {
  let sum = [0, 0, 0];
  for (let body = 1; body < n; body++) sum = add(sum, P[body]);
  const mean = scaled(sum, 1 / Math.max(1, n - 1));
  return [mean[0], mean[1], camera.target[2]];
}
const near = 0.05;
function project(p) {  // [x, y, depth, pixels per metre]
  const d = sub(p, eye), depth = Math.max(near * camera.distance, dot(d, forward)), k = pixels / depth;
  return [width / 2 + dot(d, right) * k, (margins.top + height - margins.bottom) / 2 - dot(d, up) * k, depth, k];
}
