// Tells the page what the server tells: through the worker that all windows share, or directly.

import { reunited, root, setAway } from "./api.js";

const AGAIN_MS = 1_000;

let here = false;

/** Calls `onEvent` with each event, and `onConnection` with whether the server is there. */
export function listen(onEvent, onConnected) {
  const onConnection = (up) => {
    here = up;
    setAway(!up);
    onConnected(up);
  };
  if (typeof SharedWorker === "undefined") {
    direct(onEvent, onConnection);
    return;
  }
  const worker = new SharedWorker(new URL("worker.js", import.meta.url), { name: "desk" });
  worker.onerror = () => direct(onEvent, onConnection);
  worker.port.onmessage = ({ data }) => {
    if (data.event) {
      onEvent(data.event);
      return;
    }
    onConnection(data.up);
    if (data.lost) again(() => worker.port.postMessage("connect"));
  };
  addEventListener("pagehide", () => worker.port.postMessage("leave"));
  addEventListener("pageshow", (shown) => {
    if (shown.persisted) location.reload(); // out of the browser's cache: too old to go on with
  });
}

/** Calls `connect` once the server is there and is known to be ours. */
async function again(connect) {
  while (!here) {
    if (await reunited()) {
      connect();
      return;
    }
    await new Promise((done) => setTimeout(done, AGAIN_MS));
  }
}

function direct(onEvent, onConnection) {
  const source = new EventSource(new URL("api/events", root));
  source.onopen = () => onConnection(true);
  source.onmessage = (message) => {
    const event = JSON.parse(message.data);
    if (event.kind) onEvent(event);
  };
  source.onerror = () => {
    source.close();
    onConnection(false);
    again(() => direct(onEvent, onConnection));
  };
}
