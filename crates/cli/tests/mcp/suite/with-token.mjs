// The suite cannot show a token: it speaks with this, and this speaks with the server. What it says of itself as host and
// origin becomes the server's own where it is ours, and stays what it is where it is somebody else's.
import http from 'node:http';

const [target, token] = process.argv.slice(2);
const server = new URL(target);

const proxy = http.createServer((asked, answer) => {
  const own = [`localhost:${proxy.address().port}`, `127.0.0.1:${proxy.address().port}`];
  const headers = { ...asked.headers, authorization: `Bearer ${token}` };
  if (own.includes(headers.host)) headers.host = server.host;
  if (own.some((name) => headers.origin === `http://${name}`)) headers.origin = `http://${server.host}`;
  const options = { host: server.hostname, port: server.port, path: asked.url, method: asked.method, headers };
  const passed = http.request(options, (heard) => {
    answer.writeHead(heard.statusCode, heard.headers);
    heard.pipe(answer);
  });
  passed.on('error', () => answer.destroy());
  answer.on('close', () => passed.destroy());
  asked.pipe(passed);
});

proxy.listen(0, '127.0.0.1', () => console.log(proxy.address().port));
