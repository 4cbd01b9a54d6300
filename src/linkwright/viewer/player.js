"use strict";
// Plays a mechanism on a 2D canvas: own perspective, painter's order, no libraries.
(() => {
  const scene = JSON.parse(document.getElementById("scene").textContent);
  const canvas = document.getElementById("stage"), ctx = canvas.getContext("2d");
  const element = (id) => document.getElementById(id);
  const floats = (text) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const view = new DataView(bytes.buffer), out = new Float32Array(bytes.length / 4);
    for (let k = 0; k < out.length; k++) out[k] = view.getFloat32(4 * k, true);
    return out;
  };
  const times = floats(scene.times), poses = floats(scene.poses);
  const n = scene.bodies, frames = times.length, duration = times[frames - 1];
  element("about").textContent = scene.about;

  // --- vectors -------------------------------------------------------------------------------------------------
  const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
  const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const scaled = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const unit = (a) => scaled(a, 1 / (Math.hypot(...a) || 1));
  const between = (a, b, s) => [a[0] + (b[0] - a[0]) * s, a[1] + (b[1] - a[1]) * s, a[2] + (b[2] - a[2]) * s];

  // --- poses at a time, between frames by straight lines and normalised quaternions ------------------------------
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
  function setTime(t) {
    let low = 0, high = frames - 1;
    while (high - low > 1) { const mid = (low + high) >> 1; if (times[mid] <= t) low = mid; else high = mid; }
    const span = times[high] - times[low], s = span > 0 ? Math.min(1, Math.max(0, (t - times[low]) / span)) : 0;
    for (let body = 0; body < n; body++) pose(low, high, s, body);
  }
  const turned = (m, p) => [m[0] * p[0] + m[1] * p[1] + m[2] * p[2], m[3] * p[0] + m[4] * p[1] + m[5] * p[2],
    m[6] * p[0] + m[7] * p[1] + m[8] * p[2]];
  const world = (body, p) => add(turned(R[body], p), P[body]);
  const at = (point) => world(point[0], [point[1], point[2], point[3]]);

  // --- colours ---------------------------------------------------------------------------------------------------
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

  // --- camera ----------------------------------------------------------------------------------------------------
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
    for (let k = 0; k < 8; k++) {
      const corner = [0, 1, 2].map((i) => scene.view.box[(k >> i) & 1][i]), d = sub(corner, eye);
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

  // --- drawing ---------------------------------------------------------------------------------------------------
  let items = [], pointer = null, hovered = null;
  const hits = [];

  function drawFloor() {
    if (scene.floor === null) return;
    const z = scene.floor, reach = 2.2 * Math.max(scene.view.radius, scene.size * 0.6);
    const raw = reach / 8, step = 10 ** Math.floor(Math.log10(raw)) * ([1, 2, 5, 10].find((m) => m * 10 ** Math.floor(Math.log10(raw)) >= raw));
    const middle = add(scene.view.follow ? centre() : camera.target, [0, 0, 0]);
    const cx = Math.round(middle[0] / step) * step, cy = Math.round(middle[1] / step) * step;
    const count = Math.ceil(reach / step);
    ctx.lineWidth = 1;
    ctx.strokeStyle = theme.grid;
    for (let i = -count; i <= count; i++) {
      for (let j = -count; j < count; j++) {
        for (const flip of [false, true]) {
          const a = flip ? [cx + i * step, cy + j * step, z] : [cx + j * step, cy + i * step, z];
          const b = flip ? [cx + i * step, cy + (j + 1) * step, z] : [cx + (j + 1) * step, cy + i * step, z];
          const away = Math.hypot((a[0] + b[0]) / 2 - middle[0], (a[1] + b[1]) / 2 - middle[1]) / reach;
          if (away > 1) continue;
          if (dot(sub(a, eye), forward) < near * camera.distance || dot(sub(b, eye), forward) < near * camera.distance) continue;
          const pa = project(a), pb = project(b);
          ctx.globalAlpha = (1 - away) ** 1.5 * 0.9;
          ctx.beginPath(); ctx.moveTo(pa[0], pa[1]); ctx.lineTo(pb[0], pb[1]); ctx.stroke();
        }
      }
    }
    ctx.globalAlpha = 1;
  }

  const sun = [0.25, 0.18];  // how far shadows lean per metre of height
  function shadowPoint(p) {
    const h = Math.max(0, p[2] - scene.floor);
    return project([p[0] + sun[0] * h, p[1] + sun[1] * h, scene.floor]);
  }
  const shadows = document.createElement("canvas");
  function drawShadows(ratio) {  // all in one colour on a canvas of their own, so that they do not add up
    if (scene.floor === null || eye[2] < scene.floor) return;
    shadows.width = canvas.width; shadows.height = canvas.height;
    const ink = shadows.getContext("2d");
    ink.setTransform(ratio, 0, 0, ratio, 0, 0);
    ink.strokeStyle = ink.fillStyle = theme.shadow; ink.lineCap = "round";
    for (const rod of scene.rods) {
      const a = shadowPoint(at(rod.a)), b = shadowPoint(at(rod.b));
      ink.lineWidth = Math.max(1, 2.2 * rod.r * a[3]);
      ink.beginPath(); ink.moveTo(a[0], a[1]); ink.lineTo(b[0] + 0.01, b[1]); ink.stroke();
    }
    const fill = (points) => {
      ink.beginPath();
      points.forEach((p, k) => (k ? ink.lineTo(p[0], p[1]) : ink.moveTo(p[0], p[1])));
      ink.closePath(); ink.fill();
    };
    for (const box of scene.boxes) fill(outline(corners(box).map(shadowPoint)));
    for (const plate of scene.plates) fill(plate.corners.map((c) => shadowPoint(world(plate.body, c))));
    ctx.save();
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.globalAlpha = dark ? 0.45 : 0.16;
    ctx.filter = `blur(${3 * ratio}px)`;
    ctx.drawImage(shadows, 0, 0);
    ctx.restore();
  }
  function outline(points) {  // convex, by Andrew's monotone chain
    const sorted = points.slice().sort((a, b) => a[0] - b[0] || a[1] - b[1]), hull = [];
    for (const pass of [sorted, sorted.slice().reverse()]) {
      const start = hull.length;
      for (const p of pass) {
        while (hull.length >= start + 2) {
          const [a, b] = hull.slice(-2);
          if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) break;
          hull.pop();
        }
        hull.push(p);
      }
      hull.pop();
    }
    return hull;
  }

  function ball(p, r, colour) {
    const fill = ctx.createRadialGradient(p[0] - 0.35 * r, p[1] - 0.4 * r, 0.1 * r, p[0], p[1], 1.05 * r);
    fill.addColorStop(0, shade(colour, 0.45)); fill.addColorStop(0.5, colour); fill.addColorStop(1, shade(colour, -0.35));
    ctx.fillStyle = fill;
    ctx.beginPath(); ctx.arc(p[0], p[1], Math.max(0.6, r), 0, 2 * Math.PI); ctx.fill();
  }
  function capsule(a, b, r, colour, glow) {
    const dx = b[0] - a[0], dy = b[1] - a[1], length = Math.hypot(dx, dy);
    if (length < 0.5) { ball(a, r, colour); return; }
    let nx = -dy / length, ny = dx / length;
    if (nx * -0.5 + ny * -0.85 < 0) { nx = -nx; ny = -ny; }  // towards the light, up and to the left
    const lit = 0.25 + 0.3 * (nx * -0.5 + ny * -0.85);
    const fill = ctx.createLinearGradient(a[0] + nx * r, a[1] + ny * r, a[0] - nx * r, a[1] - ny * r);
    fill.addColorStop(0, shade(colour, 0.1)); fill.addColorStop(0.3, shade(colour, lit + (glow ? 0.2 : 0)));
    fill.addColorStop(0.62, shade(colour, glow ? 0.2 : 0)); fill.addColorStop(1, shade(colour, -0.38));
    ctx.strokeStyle = fill; ctx.lineCap = "round"; ctx.lineWidth = Math.max(1.2, 2 * r);
    ctx.beginPath(); ctx.moveTo(a[0], a[1]); ctx.lineTo(b[0], b[1]); ctx.stroke();
  }
  const faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
  function corners(box) {
    const found = [];
    for (const x of [-1, 1]) for (const y of [-1, 1]) for (const z of [-1, 1]) {
      const local = turned(box.R, [x * box.h[0], y * box.h[1], z * box.h[2]]);
      found.push(world(box.body, add(local, box.c)));
    }
    return found;
  }
  const light = unit([-0.35, -0.6, 1]);
  function drawBox(box, glow) {
    const c = corners(box), colour = colourOf(box.g);
    for (const face of faces) {
      const normal = unit(cross(sub(c[face[1]], c[face[0]]), sub(c[face[2]], c[face[0]])));
      const outward = dot(normal, sub(c[face[0]], scaled(add(c[0], c[7]), 0.5))) < 0 ? scaled(normal, -1) : normal;
      if (dot(outward, sub(c[face[0]], eye)) >= 0) continue;
      const bright = dot(outward, light);
      ctx.fillStyle = shade(colour, Math.round((bright > 0 ? bright * 0.35 : bright * 0.4) * 50) / 50 + (glow ? 0.15 : 0));
      ctx.strokeStyle = shade(colour, -0.3); ctx.lineWidth = 1; ctx.lineJoin = "round";
      ctx.beginPath();
      face.map((k) => project(c[k])).forEach((p, k) => (k ? ctx.lineTo(p[0], p[1]) : ctx.moveTo(p[0], p[1])));
      ctx.closePath(); ctx.fill(); ctx.stroke();
    }
  }
  function drawPlate(points, colour, glow) {
    ctx.globalAlpha = glow ? 0.55 : 0.3;
    ctx.fillStyle = colour;
    ctx.beginPath();
    points.forEach((p, k) => (k ? ctx.lineTo(p[0], p[1]) : ctx.moveTo(p[0], p[1])));
    ctx.closePath(); ctx.fill();
    ctx.globalAlpha = 1;
  }

  const pieces = 5;  // long rods are sorted piece by piece
  function collect() {
    items = []; hits.length = 0;
    for (const rod of scene.rods) {
      const a = at(rod.a), b = at(rod.b), colour = colourOf(rod.g), glow = hovered === rod.label;
      const length = Math.hypot(...sub(b, a)), count = length > 0.15 * scene.size ? pieces : 1;
      // joints and closures lie on the rods they join: bring them a little forward
      const lift = (rod.g === -2 ? 0.05 : rod.g === -1 ? 0.035 : rod.g === -3 ? -0.02 : 0) * scene.size;
      for (let k = 0; k < count; k++) {
        const p = project(between(a, b, k / count)), q = project(between(a, b, (k + 1) / count));
        const r = rod.r * (p[3] + q[3]) / 2;
        items.push({ depth: (p[2] + q[2]) / 2 - lift, draw: () => capsule(p, q, r, colour, glow) });
        hits.push([p, q, Math.max(4, r), rod.label, (p[2] + q[2]) / 2 - lift]);
      }
    }
    for (const box of scene.boxes) {
      const p = project(world(box.body, box.c)), glow = hovered === box.label;
      items.push({ depth: p[2], draw: () => drawBox(box, glow) });
      hits.push([p, p, Math.max(4, Math.min(...box.h) * p[3]), box.label, p[2]]);
    }
    for (const plate of scene.plates) {
      const points = plate.corners.map((c) => project(world(plate.body, c))), colour = colourOf(plate.g);
      const glow = hovered === plate.label;
      items.push({ depth: points.reduce((sum, p) => sum + p[2], 0) / points.length + 0.01 * scene.size,
        draw: () => drawPlate(points, colour, glow) });
    }
    if (scene.floor !== null) for (const anchor of scene.posts) {
      const foot = project([anchor[0], anchor[1], scene.floor]), top = project(anchor), r = 0.006 * scene.size * top[3];
      if (anchor[2] - scene.floor > 0.03 * scene.size)
        items.push({ depth: top[2] + 0.05 * scene.size, draw: () => capsule(foot, top, r, theme.post, false) });
      items.push({ depth: foot[2] + 0.06 * scene.size, draw: () => {
        ctx.fillStyle = theme.post;
        ctx.beginPath(); ctx.ellipse(foot[0], foot[1], 4 * r, 4 * r * Math.max(0.15, Math.sin(camera.elevation)), 0, 0, 7); ctx.fill();
      } });
    }
    items.sort((a, b) => b.depth - a.depth);
  }
  function drawTraces() {
    ctx.lineWidth = 1.6; ctx.lineJoin = "round";
    for (const trace of scene.traces) {
      ctx.strokeStyle = scene.palette.trace; ctx.globalAlpha = 0.55;
      ctx.beginPath();
      for (let f = 0; f < frames; f++) {
        pose(f, f, 0, trace.body);
        const p = project(world(trace.body, trace.point));
        if (f) ctx.lineTo(p[0], p[1]); else ctx.moveTo(p[0], p[1]);
      }
      ctx.stroke();
    }
    ctx.globalAlpha = 1;
    setTime(clock);
  }
  function drawTies() {
    ctx.setLineDash([5, 4]); ctx.lineWidth = 1.5; ctx.strokeStyle = scene.palette.closure;
    for (const tie of scene.ties) {
      const a = at(tie.a), b = at(tie.b);
      if (Math.hypot(...sub(a, b)) < 2e-3 * scene.size) continue;
      const p = project(a), q = project(b);
      ctx.beginPath(); ctx.moveTo(p[0], p[1]); ctx.lineTo(q[0], q[1]); ctx.stroke();
    }
    ctx.setLineDash([]);
  }

  function render() {
    const ratio = Math.min(2, devicePixelRatio || 1);
    measure();
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio);
    }
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    setTime(clock); aim();
    const sky = ctx.createLinearGradient(0, 0, 0, height);
    sky.addColorStop(0, theme.sky); sky.addColorStop(1, theme.horizon);
    ctx.fillStyle = sky; ctx.fillRect(0, 0, width, height);
    drawFloor(); drawShadows(ratio); drawTraces(); collect();
    for (const item of items) item.draw();
    drawTies(); showLabel();
  }
  function showLabel() {
    let best = null;
    if (pointer && !dragging) for (const [a, b, r, label, depth] of hits) {
      const dx = b[0] - a[0], dy = b[1] - a[1], squared = dx * dx + dy * dy;
      const s = squared ? Math.min(1, Math.max(0, ((pointer[0] - a[0]) * dx + (pointer[1] - a[1]) * dy) / squared)) : 0;
      const away = Math.hypot(pointer[0] - a[0] - s * dx, pointer[1] - a[1] - s * dy);
      if (away <= r + 2 && (!best || depth < best[1])) best = [label, depth];
    }
    hovered = best ? best[0] : null;
    const label = element("label");
    label.hidden = !best;
    if (best) { label.textContent = best[0]; label.style.left = `${pointer[0]}px`; label.style.top = `${pointer[1]}px`; }
  }

  // --- playing ---------------------------------------------------------------------------------------------------
  let clock = 0, playing = duration > 0, last = null, dragging = null;
  const icon = (body) => `<svg viewBox="0 0 18 18">${body}</svg>`;
  const icons = { play: icon('<path class="solid" d="M5 3l10 6-10 6z"/>'),
    pause: icon('<path class="solid" d="M4 3h3.5v12H4zM10.500 3H14v12h-3.500z"/>'),
    reset: icon('<path d="M3 9a6 6 0 1 0 2-4.500M3 2.500V6h3.500"/>'), theme: icon('<circle cx="9" cy="9" r="6"/><path class="solid" d="M9 3a6 6 0 0 1 0 12z"/>') };
  element("reset").innerHTML = icons.reset; element("theme").innerHTML = icons.theme;
  function setPlaying(on) { playing = on && duration > 0; last = null; element("play").innerHTML = playing ? icons.pause : icons.play; }
  function showClock() {
    element("clock").textContent = `${clock.toFixed(2)} s`;
    element("scrubber").value = duration ? 1000 * clock / duration : 0;
  }
  function tick(now) {
    if (playing) {
      if (last !== null) clock += (now - last) / 1000 * Number(element("speed").value);
      last = now;
      if (clock > duration) clock %= duration;
      showClock();
    }
    render();
    requestAnimationFrame(tick);
  }
  element("play").onclick = () => setPlaying(!playing);
  element("scrubber").oninput = (event) => { setPlaying(false); clock = duration * event.target.value / 1000; showClock(); };
  element("reset").onclick = resetCamera;
  element("theme").onclick = () => { dark = !dark; setTheme(); };
  addEventListener("keydown", (event) => {
    if (event.target.tagName === "SELECT" || event.target.tagName === "INPUT") return;
    if (event.key === " ") { event.preventDefault(); setPlaying(!playing); }
    if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      setPlaying(false);
      clock = Math.min(duration, Math.max(0, clock + (event.key === "ArrowRight" ? 1 : -1) / 30)); showClock();
    }
  });

  // --- orbiting --------------------------------------------------------------------------------------------------
  const touches = new Map();
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    touches.set(event.pointerId, [event.clientX, event.clientY]);
    dragging = event.shiftKey || event.button ? "pan" : "orbit";
    element("hint").style.opacity = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    pointer = [event.clientX, event.clientY];
    const before = touches.get(event.pointerId);
    if (!before) return;
    const dx = event.clientX - before[0], dy = event.clientY - before[1];
    if (touches.size === 2) {
      const other = [...touches].find(([id]) => id !== event.pointerId)[1];
      const was = Math.hypot(before[0] - other[0], before[1] - other[1]), is = Math.hypot(pointer[0] - other[0], pointer[1] - other[1]);
      zoom(was / Math.max(1, is));
    } else if (dragging === "pan") {
      const k = camera.distance / pixels;
      camera.pan = add(camera.pan, add(scaled(right, -dx * k), scaled(up, dy * k)));
    } else {
      camera.azimuth -= dx * 0.008;
      camera.elevation = Math.min(1.55, Math.max(-1.4, camera.elevation + dy * 0.008));
    }
    touches.set(event.pointerId, pointer);
  });
  const release = (event) => { touches.delete(event.pointerId); if (!touches.size) dragging = null; };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", () => { pointer = null; });
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  const zoom = (factor) => { camera.distance = Math.min(60, Math.max(0.05, camera.distance / scene.view.radius * factor)) * scene.view.radius; };
  canvas.addEventListener("wheel", (event) => { event.preventDefault(); zoom(Math.exp(event.deltaY * 0.0012)); }, { passive: false });

  setTheme(); measure(); setTime(0); resetCamera(); setPlaying(true); showClock();
  requestAnimationFrame(tick);
})();
