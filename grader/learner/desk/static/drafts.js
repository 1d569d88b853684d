// Unsaved text, kept in the browser until it is saved. Each window has its own; a window that is
// opened later takes over what a closed one left.

const PREFIX = `desk:${new URL("..", import.meta.url).pathname}`;
const WINDOW = "desk:window";

/** This window's name: the same after a reload, another in every window. */
export const windowName = await claim();

async function claim() {
  const before = sessionStorage.getItem(WINDOW);
  if (before && (await hold(before))) return before;
  const fresh = Math.random().toString(36).slice(2, 12);
  sessionStorage.setItem(WINDOW, fresh);
  await hold(fresh);
  return fresh;
}

/** Holds a name for as long as this window lives; false if another window has it. */
function hold(name) {
  if (!navigator.locks) return Promise.resolve(true);
  return new Promise((claimed) => {
    navigator.locks.request(`desk:${name}`, { ifAvailable: true }, (lock) => {
      claimed(lock !== null);
      return lock === null ? undefined : new Promise(() => {});
    });
  });
}

function key(file, name) {
  return `${PREFIX}:${file}:${name}`;
}

/** Keeps this window's text of `file`, a course and a step; it is based on the version `base`. */
export function keep(file, text, base) {
  try {
    localStorage.setItem(key(file, windowName), JSON.stringify({ text, base, at: Date.now() }));
    return true;
  } catch {
    return false; // full, or forbidden
  }
}

/** Forgets the text of this window: it is saved. */
export function forget(file) {
  localStorage.removeItem(key(file, windowName));
}

/** What this window kept, or else what a closed one left last; null if nothing. */
export async function find(file) {
  const own = read(key(file, windowName));
  if (own) return own;
  const open = new Set();
  if (navigator.locks) {
    for (const lock of (await navigator.locks.query()).held) open.add(lock.name);
  }
  const start = key(file, "");
  const left = Object.keys(localStorage)
    .filter((name) => name.startsWith(start) && !open.has(`desk:${name.slice(start.length)}`))
    .map((name) => ({ name, draft: read(name) }))
    .filter((one) => one.draft)
    .sort((one, other) => other.draft.at - one.draft.at);
  if (!left.length) return null;
  localStorage.removeItem(left[0].name);
  keep(file, left[0].draft.text, left[0].draft.base);
  return left[0].draft;
}

function read(name) {
  try {
    const found = JSON.parse(localStorage.getItem(name));
    return typeof found?.text === "string" && typeof found.base === "string" ? found : null;
  } catch {
    return null;
  }
}
