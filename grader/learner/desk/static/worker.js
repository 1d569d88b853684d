// Keeps one connection to the server for all windows. A browser opens only six at a time to one
// server, and each window would need one of them all the time.

const SILENT_MS = 40_000; // the server says something every 15 s
const AGAIN_MS = 1_000;
const ports = new Set();
let source;
let up = false;
let heard = 0;

function tell(message) {
  for (const port of ports) port.postMessage(message);
}

function connection(now) {
  up = now;
  tell({ up });
}

function connect() {
  source?.close();
  heard = Date.now();
  source = new EventSource(new URL("../api/events", self.location.href));
  source.onopen = () => {
    heard = Date.now();
    connection(true);
  };
  source.onmessage = (message) => {
    heard = Date.now();
    const event = JSON.parse(message.data);
    if (event.kind) tell({ event });
  };
  source.onerror = () => {
    connection(false);
    // The browser tries again by itself, unless the server refused.
    if (source.readyState === EventSource.CLOSED) setTimeout(connect, AGAIN_MS);
  };
}

// A machine that slept may have lost the connection without a sign.
setInterval(() => {
  if (up && Date.now() - heard > SILENT_MS) {
    connection(false);
    connect();
  }
}, 5_000);

self.onconnect = ({ ports: [port] }) => {
  ports.add(port);
  port.onmessage = ({ data }) => {
    if (data === "leave") ports.delete(port);
  };
  port.postMessage({ up });
  if (!source) connect();
};
