// Tells the page what the server tells: through the worker that all windows share, or directly.

import { root } from "./api.js";

/** Calls `onEvent` with each event, and `onConnection` with whether the server is there. */
export function listen(onEvent, onConnection) {
  if (typeof SharedWorker === "undefined") {
    direct(onEvent, onConnection);
    return;
  }
  const worker = new SharedWorker(new URL("worker.js", import.meta.url), { name: "desk" });
  worker.onerror = () => direct(onEvent, onConnection);
  worker.port.onmessage = ({ data }) => {
    if (data.event) onEvent(data.event);
    else onConnection(data.up);
  };
  addEventListener("pagehide", () => worker.port.postMessage("leave"));
  addEventListener("pageshow", (shown) => {
    if (shown.persisted) location.reload(); // out of the browser's cache: too old to go on with
  });
}

function direct(onEvent, onConnection) {
  const source = new EventSource(new URL("api/events", root));
  source.onopen = () => onConnection(true);
  source.onmessage = (message) => {
    const event = JSON.parse(message.data);
    if (event.kind) onEvent(event);
  };
  source.onerror = () => {
    onConnection(false);
    if (source.readyState === EventSource.CLOSED) {
      setTimeout(() => direct(onEvent, onConnection), 1_000);
    }
  };
}
