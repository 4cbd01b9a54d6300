// Meshes: vertices are moved and projected together, faces sorted with everything else.
const light = unit([-0.35, -0.6, 1]);
const skins = (scene.skins || []).map((told) => {
  const whole = wholes(told.v), faces = wholes(told.f), count = whole.length / 3, points = new Float64Array(whole.length);
  for (let k = 0; k < whole.length; k++) points[k] = told.low[k % 3] + told.span[k % 3] * whole[k] / 65535;
  const at = (k) => [points[3 * k], points[3 * k + 1], points[3 * k + 2]];
  const normals = new Float64Array(faces.length);
  for (let f = 0; f < faces.length; f += 3) {
    const a = at(faces[f]), normal = unit(cross(sub(at(faces[f + 1]), a), sub(at(faces[f + 2]), a)));
    for (let i = 0; i < 3; i++) normals[f + i] = normal[i];
  }
  // what casts a shadow: the outermost vertices in some directions
  const hull = [];
  for (let x = -1; x <= 1; x++) for (let y = -1; y <= 1; y++) for (let z = -1; z <= 1; z++) {
    let best = 0, most = -Infinity;
    for (let k = 0; k < count; k++) {
      const reach = x * points[3 * k] + y * points[3 * k + 1] + z * points[3 * k + 2];
      if (reach > most) { most = reach; best = k; }
    }
    hull.push(at(best));
  }
  return { ...told, points, faces, normals, hull, count, seen: new Float64Array(3 * count) };
});

function collectSkins() {
  for (const skin of skins) {
    const m = R[skin.body], p = P[skin.body], { points, faces, normals, seen, count } = skin, glow = hovered === skin.label;
    // from the body's frame to the screen in one go
    const row = (v) => [v[0] * m[0] + v[1] * m[3] + v[2] * m[6], v[0] * m[1] + v[1] * m[4] + v[2] * m[7],
      v[0] * m[2] + v[1] * m[5] + v[2] * m[8], dot(v, sub(p, eye))];
    const x = row(right), y = row(up), z = row(forward), lit = row(light), nearest = near * camera.distance;
    const middle = (margins.top + height - margins.bottom) / 2;
    for (let k = 0; k < count; k++) {
      const a = points[3 * k], b = points[3 * k + 1], c = points[3 * k + 2];
      const depth = Math.max(nearest, z[0] * a + z[1] * b + z[2] * c + z[3]), s = pixels / depth;
      seen[3 * k] = width / 2 + (x[0] * a + x[1] * b + x[2] * c + x[3]) * s;
      seen[3 * k + 1] = middle - (y[0] * a + y[1] * b + y[2] * c + y[3]) * s;
      seen[3 * k + 2] = depth;
    }
    const colour = skin.colour || colourOf(skin.g);
    for (let f = 0; f < faces.length; f += 3) {
      const a = 3 * faces[f], b = 3 * faces[f + 1], c = 3 * faces[f + 2];
      const area = (seen[b] - seen[a]) * (seen[c + 1] - seen[a + 1]) - (seen[c] - seen[a]) * (seen[b + 1] - seen[a + 1]);
      if (skin.closed && area >= 0) continue;  // it looks away: up is down on a screen
      const side = area > 0 ? -1 : 1;
      const bright = side * (lit[0] * normals[f] + lit[1] * normals[f + 1] + lit[2] * normals[f + 2]);
      const tone = Math.round((0.34 * bright - 0.26 + (glow ? 0.2 : 0)) * 50) / 50;
      items.push({ depth: (seen[a + 2] + seen[b + 2] + seen[c + 2]) / 3, skin, a, b, c, paint: shade(colour, tone) });
    }
    const centre = project(world(skin.body, [0, 1, 2].map((i) => skin.low[i] + skin.span[i] / 2)));
    hits.push([centre, centre, Math.max(4, 0.4 * Math.min(...skin.span) * centre[3]), skin.label, centre[2]]);
  }
}
function drawFace({ skin, a, b, c, paint }) {
  const seen = skin.seen;
  ctx.fillStyle = ctx.strokeStyle = paint; ctx.lineWidth = 0.7; ctx.lineJoin = "round";  // the stroke hides the seams
  ctx.beginPath(); ctx.moveTo(seen[a], seen[a + 1]); ctx.lineTo(seen[b], seen[b + 1]); ctx.lineTo(seen[c], seen[c + 1]);
  ctx.closePath(); ctx.fill(); ctx.stroke();
}
