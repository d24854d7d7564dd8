// The upper limit of this machine and runtime: node:http that only writes the same bytes from memory.
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';

const pages = new Map();
process.on('message', ({ pages: given }) => {
  for (const [path, text] of given) {
    const identity = Buffer.from(text);
    pages.set(path, { identity, gzip: gzipSync(identity) });
  }
  const server = createServer((request, response) => {
    const encoding = (request.headers['accept-encoding'] ?? '').includes('gzip') ? 'gzip' : 'identity';
    if (request.headers['if-none-match'] !== undefined)
      return response.writeHead(304, { ETag: '"limit"' }).end();
    const body = pages.get(request.url)?.[encoding];
    response.writeHead(body === undefined ? 404 : 200, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': body?.length ?? 0,
      ...(encoding === 'gzip' && { 'Content-Encoding': 'gzip' }),
    });
    response.end(body);
  });
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
});
