// Separators between panes: dragged, or moved with the arrow keys; a browser keeps where they are.

const LEAST = 0.2;
const MOST = 0.8;
const STEP = 0.02;

/**
 * A separator that sets the share `--name` (in percent) of the page's style. `share` says which one
 * a pointer means: its position along the axis, within the rectangle of the desk.
 */
export function separator(name, label, share) {
  const upright = name.endsWith("width");
  const made = document.createElement("div");
  const attributes = {
    class: `desk-separator ${upright ? "upright" : "level"}`,
    role: "separator",
    tabindex: "0",
    "aria-label": label,
    "aria-orientation": upright ? "vertical" : "horizontal",
    "aria-valuemin": String(100 * LEAST),
    "aria-valuemax": String(100 * MOST),
  };
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  let now = 0.5;
  const set = (value) => {
    now = Math.min(Math.max(value, LEAST), MOST);
    made.setAttribute("aria-valuenow", String(Math.round(100 * now)));
    document.documentElement.style.setProperty(`--${name}`, String(100 * now));
  };
  const keep = () => {
    try {
      localStorage.setItem(name, String(now));
    } catch {
      // this browser keeps nothing: the pane is as it was next time
    }
  };
  made.addEventListener("keydown", (event) => {
    const back = upright ? "ArrowRight" : "ArrowUp";
    const ahead = upright ? "ArrowLeft" : "ArrowDown";
    const to = { [back]: now - STEP, [ahead]: now + STEP, Home: LEAST, End: MOST }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    set(to);
    keep();
  });
  made.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    made.setPointerCapture(event.pointerId);
    made.focus();
  });
  made.addEventListener("pointermove", (event) => {
    if (!made.hasPointerCapture(event.pointerId)) return;
    set(share(upright ? event.clientX : event.clientY, made.parentElement.getBoundingClientRect()));
  });
  made.addEventListener("lostpointercapture", keep);
  let kept = null;
  try {
    kept = localStorage.getItem(name);
  } catch {
    // as above
  }
  set(Number(kept) || 0.5);
  return made;
}
