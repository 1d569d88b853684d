// Asks the server. Every address is relative to this file, so that a proxy may put a path before it.

export const root = new URL("..", import.meta.url);

/** The server answered, and it is no success: `status` is HTTP's, `body` its JSON or text. */
export class Refused extends Error {
  constructor(status, body) {
    super(typeof body === "string" ? body : `The desk answered ${status}.`);
    this.status = status;
    this.body = body;
  }
}

/** The server cannot be reached. */
export class Gone extends Error {
  constructor() {
    super("The desk cannot be reached. Is it still running in the terminal?");
  }
}

const key = globalThis.document?.querySelector('meta[name="desk-key"]')?.content;

let away = false;

/** Says whether the connection is lost: nothing is asked then, because anybody may listen there. */
export function setAway(now) {
  away = now;
}

/** What shows that `whose` side has the page's key, for this origin alone. */
async function proof(whose, nonce) {
  const bytes = (text) => new TextEncoder().encode(text);
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const made = await crypto.subtle.importKey("raw", bytes(key), hmac, false, ["sign"]);
  const text = [whose, location.origin, nonce].join("\n");
  const signed = new Uint8Array(await crypto.subtle.sign("HMAC", made, bytes(text)));
  return [...signed].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Whether the server is this page's desk and lets the page in. Nothing of the learner is sent
 * before the server has proved that it is ours. A proxy knows its user by a cookie of its own.
 */
export async function reunited() {
  try {
    const nonce = crypto.randomUUID();
    const there = new URL(`_proof?nonce=${nonce}`, root);
    const local = ["127.0.0.1", "localhost"].includes(location.hostname);
    const credentials = local ? "omit" : "same-origin";
    const answer = await fetch(there, { credentials, cache: "no-store" });
    const theirs = await answer.json();
    if (theirs.proof !== (await proof("desk", nonce))) return false;
    const ours = new URL(`_proof?proof=${await proof("page", theirs.nonce)}`, root);
    return (await fetch(ours, { method: "POST", credentials: "same-origin" })).ok;
  } catch {
    return false; // it is gone, or another's, or the browser cannot sign on a page without HTTPS
  }
}

/** The answer to a request, as JSON. A `body` is sent as JSON too. */
export async function ask(path, { method = "GET", body } = {}) {
  if (away) throw new Gone();
  const request = { method, credentials: "same-origin", cache: "no-store" };
  if (body !== undefined) {
    request.headers = { "Content-Type": "application/json" };
    request.body = JSON.stringify(body);
  }
  let answer;
  let text;
  try {
    answer = await fetch(new URL(`api/${path}`, root), request);
    text = await answer.text();
  } catch {
    throw new Gone();
  }
  const isJson = answer.headers.get("Content-Type")?.startsWith("application/json");
  const found = isJson ? JSON.parse(text) : text;
  if (!answer.ok) throw new Refused(answer.status, found);
  return found;
}
