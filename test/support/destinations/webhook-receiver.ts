import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';

/** A request that a receiver got. */
export type Received = {
  readonly at: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

/** What a receiver does: answers with this status, or never. */
export type Answering = number | 'hang' | 'cut';

type Body = {
  readonly messages: readonly {
    readonly type: string;
    readonly id?: string;
    readonly item?: { readonly news_event: { readonly id: string } };
  }[];
  readonly position: string;
  readonly reset?: true;
  readonly test?: true;
};

/** A receiver of webhooks on this machine. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  answering: Answering = 204;
  /** How late it answers. */
  delayMs = 0;
  /** Called for each request, before it is answered. */
  onReceived: (received: Received) => void = () => {};
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {});
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const received = { at: performance.now(), headers: request.headers, body };
      this.received.push(received);
      this.onReceived(received);
      if (this.answering === 'hang') return;
      if (this.answering === 'cut') return void request.socket.destroy();
      const status = this.answering;
      setTimeout(() => response.writeHead(status).end(), this.delayMs);
    });
  });

  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/hooks/1f2c`;
  }

  /** The bodies so far, without tests. */
  get bodies(): readonly Body[] {
    return this.received.map(({ body }) => JSON.parse(body) as Body).filter(({ test }) => test !== true);
  }

  /** The ids of all items that it got, in order. */
  get itemIds(): readonly string[] {
    return this.bodies.flatMap(({ messages }) =>
      messages.map(({ item, id }) => item?.news_event.id ?? id ?? ''),
    );
  }

  async start(port = 0): Promise<this> {
    await once(this.#server.listen(port, '127.0.0.1'), 'listening');
    return this;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** Whether the signature of a request is valid, by the library of Standard Webhooks. */
export function isSigned({ headers, body }: Received, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}
