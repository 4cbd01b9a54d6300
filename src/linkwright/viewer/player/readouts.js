// Where joints are, in numbers; and what the file names that could not be drawn.
const readouts = scene.joints.map((joint) => {
  const row = document.createElement("div"), name = document.createElement("span"), value = document.createElement("output");
  name.textContent = name.title = joint.name;
  row.append(name, value);
  let mark = null;
  if (joint.range[0] !== null && joint.range[1] !== null && joint.range[1] > joint.range[0]) {
    const bar = document.createElement("i");
    mark = document.createElement("b");
    bar.append(mark); row.append(bar);
  }
  element("joints").append(row);
  return { joint, value, mark };
});
function showJoints() {
  if (element("joints").hidden) return;
  const [low, high, s] = now, count = readouts.length;
  readouts.forEach(({ joint, value, mark }, k) => {
    const q = angles[low * count + k] * (1 - s) + angles[high * count + k] * s;
    value.textContent = `${q.toFixed(3)} ${joint.unit}`;
    if (mark) mark.style.left = `${100 * Math.min(1, Math.max(0, (q - joint.range[0]) / (joint.range[1] - joint.range[0])))}%`;
  });
}
if (scene.missing.length) {
  element("missing").hidden = false;
  element("missing").querySelector("summary").textContent = scene.missing.length === 1
    ? "1 mesh is not drawn as its file says" : `${scene.missing.length} meshes are not drawn as their files say`;
  for (const text of scene.missing) {
    const line = document.createElement("li");
    line.textContent = text;
    element("missing").querySelector("ul").append(line);
  }
}
