// A wire between the browser and the server that can be cut: what a lost connection looks like.
import { createServer, request } from 'node:http';
import { BASE } from './browser.mjs';

/** With `slow` an answer comes in small pieces, as over a long line. */
export async function proxy({ slow = false } = {}) {
  const target = new URL(BASE);
  const sockets = new Set();
  let isCut = false;
  const server = createServer((incoming, outgoing) => {
    if (isCut) return incoming.socket.destroy();
    const headers = { ...incoming.headers, host: target.host };
    if (headers.origin) headers.origin = target.origin;
    const forward = request({ host: target.hostname, port: target.port, path: incoming.url, method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      void (async () => {
        for await (const piece of answer) {
          const isStream = slow && (answer.headers['content-type'] ?? '').includes('event-stream');
          for (let at = 0; at < piece.length; at += isStream ? 160 : piece.length) {
            outgoing.write(piece.subarray(at, isStream ? at + 160 : piece.length));
            if (isStream) await new Promise((done) => setTimeout(done, 12));
          }
        }
        outgoing.end();
      })().catch(() => outgoing.destroy());
    });
    forward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forward.destroy());
    incoming.pipe(forward);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    mend() {
      isCut = false;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
