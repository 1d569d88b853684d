// Keeps one connection to the server for all windows. A browser opens only six at a time to one
// server, and each window would need one of them all the time.

const SILENT_MS = 40_000; // the server says something every 15 s
const ports = new Set();
let source;
let up = false;
let lost = false; // then a window has to find out first whether the server is still ours
let heard = 0;

function tell(message) {
  for (const port of ports) port.postMessage(message);
}

function connection(now) {
  up = now;
  tell({ up, lost });
}

function lose() {
  source.close(); // the browser would try again by itself, and send the cookie to whoever is there
  lost = true;
  connection(false);
}

function connect() {
  source?.close();
  lost = false;
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
  source.onerror = lose;
}

// A machine that slept may have lost the connection without a sign.
setInterval(() => {
  if (up && Date.now() - heard > SILENT_MS) lose();
}, 5_000);

self.onconnect = ({ ports: [port] }) => {
  ports.add(port);
  port.onmessage = ({ data }) => {
    if (data === "leave") ports.delete(port);
    if (data === "connect" && lost) connect();
  };
  port.postMessage({ up, lost });
  if (!source) connect();
};
