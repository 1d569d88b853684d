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

/** The answer to a request, as JSON. A `body` is sent as JSON too. */
export async function ask(path, { method = "GET", body } = {}) {
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
