// The upper limit of this machine and runtime for streams: it writes prepared frames to all connections, and does nothing
// else. The frames are those that the service has sent, heartbeats and pings included.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';

const HEARTBEAT_GROUPS = 60;
const HEARTBEAT_TICK_MS = 250;
const WEB_SOCKET_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const SSE_FIELDS = {
  'Content-Type': 'text/event-stream',
  'Content-Encoding': 'gzip',
  'Cache-Control': 'no-store',
};

const sockets = new Set();
let frames = { ready: null, heartbeat: null, items: [] };
let sent = 0;

const server = createServer((_request, response) => {
  response.writeHead(200, SSE_FIELDS).flushHeaders();
  add(response.socket);
}).on('upgrade', (request, socket) => {
  const accept = createHash('sha1')
    .update(request.headers['sec-websocket-key'] + WEB_SOCKET_GUID)
    .digest('base64');
  const fields = `Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n`;
  socket.write(`HTTP/1.1 101 Switching Protocols\r\n${fields}\r\n`);
  socket.on('data', () => {}).on('error', () => {});
  add(socket);
});

function add(socket) {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
  socket.write(frames.ready);
}

/** Writes the next `count` items to every socket, with one call of the system for each socket. */
function writeItems(count) {
  const next = Array.from({ length: count }, (_, n) => frames.items[(sent + n) % frames.items.length]);
  sent += count;
  for (const socket of sockets) {
    if (next.length > 1) socket.cork();
    for (const frame of next) socket.write(frame);
    if (next.length > 1) socket.uncork();
  }
}

let tick = 0;
function writeHeartbeats() {
  tick += 1;
  let n = 0;
  for (const socket of sockets) {
    n += 1;
    if (n % HEARTBEAT_GROUPS !== tick % HEARTBEAT_GROUPS) continue;
    socket.write(frames.heartbeat);
  }
}

process.on('message', ({ given, items }) => {
  if (items !== undefined) writeItems(items);
  if (given === undefined) return;
  frames = decoded(given);
  setInterval(writeHeartbeats, HEARTBEAT_TICK_MS);
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, () =>
    process.send({ port: server.address().port }),
  );
});

const bytesOf = (text) => Buffer.from(text, 'base64');
const decoded = ({ ready, heartbeat, items }) => ({
  ready: bytesOf(ready),
  // A ping goes with a heartbeat in one write.
  heartbeat: Buffer.concat(heartbeat.map(bytesOf)),
  items: items.map(bytesOf),
});

// `live-probe.mjs` does not keep the process alive, and it has received all earlier messages.
process.channel.ref();
process.send({ isLoaded: true });
