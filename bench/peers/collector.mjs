// A collector of OpenTelemetry that reads every batch of spans, counts its bytes and keeps nothing.
import { createServer } from 'node:http';

process.once('message', () => {
  let bytes = 0;
  const server = createServer((request, response) => {
    if (request.method === 'GET') return response.end(String(bytes));
    request.on('data', (chunk) => {
      bytes += chunk.length;
    });
    request.on('end', () => response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}'));
  });
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
});
