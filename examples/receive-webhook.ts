// Receives the deliveries of a webhook, and prints each change. A proxy in front of it adds TLS.
// WEBHOOK_SECRET has the secret of the destination: two, separated by a blank, during a rotation.
// Run it: node receive-webhook.ts
import { createServer } from 'node:http';
import { OddswireError, verifyWebhook } from '@oddswire/client';

const { WEBHOOK_SECRET: secrets = '', PORT: port = '3000' } = process.env;

createServer(async (request, response) => {
  try {
    const { headers } = request;
    const { messages, reset } = await verifyWebhook({ secret: secrets.split(' '), headers, body: request });
    if (reset) console.log('walk the feed anew');
    for (const message of messages)
      console.log(message.type === 'item' ? `+ ${message.item.news_event.headline}` : `- ${message.id}`);
    response.writeHead(204).end();
  } catch (error) {
    // After any status but 2xx, the delivery is repeated.
    response.writeHead(error instanceof OddswireError ? 400 : 500).end();
  }
}).listen(Number(port), () => console.log(`listening on port ${port}`));
