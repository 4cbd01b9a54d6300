// Playing and orbiting.
let clock = 0, playing = duration > 0, last = null, dragging = null;
const icon = (body) => `<svg viewBox="0 0 18 18">${body}</svg>`;
const icons = { play: icon('<path class="solid" d="M5 3l10 6-10 6z"/>'),
  pause: icon('<path class="solid" d="M4 3h3.5v12H4zM10.500 3H14v12h-3.500z"/>'),
  reset: icon('<path d="M3 9a6 6 0 1 0 2-4.500M3 2.500V6h3.500"/>'), theme: icon('<circle cx="9" cy="9" r="6"/><path class="solid" d="M9 3a6 6 0 0 1 0 12z"/>') };
element("readouts").innerHTML = icon('<path d="M3 5h12M3 9h12M3 13h12M6 3.500v3M12 7.500v3M8 11.500v3"/>');
element("readouts").hidden = !scene.joints.length;
element("readouts").onclick = () => { element("joints").hidden = !element("joints").hidden; };
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
