// A receiver of webhooks in a process of its own: answers 204, and says how many requests it got and when each item arrived.
import { createServer } from 'node:http';

let received = 0;
/** The delays since the publication, in milliseconds: the headline of an item is the time of its publication. */
let delays = [];
const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    response.writeHead(204).end();
    received += 1;
    const sentAt = /"headline":"at (\d+)"/.exec(Buffer.concat(chunks).toString('utf8'))?.[1];
    if (sentAt !== undefined) delays.push(Date.now() - Number(sentAt));
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('message', () => {
  process.send({ received, delays });
  received = 0;
  delays = [];
});
