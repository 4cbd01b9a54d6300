// Everything that is drawn, in painter's order.
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
  for (const skin of skins) fill(outline(skin.hull.map((c) => shadowPoint(world(skin.body, c)))));
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
  collectSkins();
  items.sort((a, b) => b.depth - a.depth);
}
function drawTraces() {
  ctx.lineWidth = 1.6; ctx.lineJoin = "round";
  for (const trace of scene.traces) {
    ctx.strokeStyle = scene.palette.trace; ctx.globalAlpha = 0.55;
    ctx.beginPath();
    let drawing = false;
    for (let f = 0; f < frames; f++) {
      pose(f, f, 0, trace.body);
      const point = world(trace.body, trace.point), visible = dot(sub(point, eye), forward) > near * camera.distance;
      const p = project(point);
      if (visible && drawing) ctx.lineTo(p[0], p[1]); else if (visible) ctx.moveTo(p[0], p[1]);
      drawing = visible;
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

function drawArrows() {
  ctx.strokeStyle = ctx.fillStyle = scene.palette.force; ctx.lineCap = "round"; ctx.globalAlpha = 0.9;
  for (const arrow of arrows) {
    if (!arrow.on || dot(sub(arrow.from, eye), forward) < near * camera.distance) continue;
    const a = project(arrow.from), b = project(arrow.to), dx = b[0] - a[0], dy = b[1] - a[1], length = Math.hypot(dx, dy);
    if (length < 2) continue;
    const head = Math.min(9, 0.5 * length), ux = dx / length, uy = dy / length, x = b[0] - head * ux, y = b[1] - head * uy;
    ctx.lineWidth = 2.4;
    ctx.beginPath(); ctx.moveTo(a[0], a[1]); ctx.lineTo(x, y); ctx.stroke();
    ctx.beginPath(); ctx.moveTo(b[0], b[1]);
    ctx.lineTo(x - 0.45 * head * uy, y + 0.45 * head * ux); ctx.lineTo(x + 0.45 * head * uy, y - 0.45 * head * ux);
    ctx.closePath(); ctx.fill();
  }
  ctx.globalAlpha = 1;
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
  for (const item of items) if (item.skin) drawFace(item); else item.draw();
  drawTies(); drawArrows(); showLabel(); showJoints();
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
