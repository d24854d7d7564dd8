import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export type PublishingCall = {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly lines: readonly string[];
};
export type PublishingAnswer = {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
};
type LineError = { readonly parameter: string; readonly code: string; readonly message: string };

/** The report of the service on a call. Lines with `bad` are rejected; a number in the line makes the id. */
export function publishingReport(
  { lines }: PublishingCall,
  ...errors: readonly LineError[]
): PublishingAnswer {
  const rejected = lines.flatMap((line, i) => {
    if (!line.includes('bad')) return [];
    const [number] = /\d+/.exec(line) ?? [];
    return [{ line: i + 1, id: number === undefined ? null : `ne_${number}`, errors }];
  });
  return { status: 200, body: { accepted: lines.length - rejected.length, rejected } };
}

/** A stub of the publishing route; tests decide its answers. */
export class PublishingStub {
  readonly calls: PublishingCall[] = [];
  answer: (call: PublishingCall) => PublishingAnswer;
  readonly url: string;
  readonly #server: Server;

  private constructor(server: Server, answer: (call: PublishingCall) => PublishingAnswer) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.answer = answer;
  }

  static async start(answer: (call: PublishingCall) => PublishingAnswer): Promise<PublishingStub> {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const stub = new PublishingStub(server, answer);
    server.on('request', async (request, response) => {
      const body = await text(request);
      const lines = body === '' ? [] : body.split('\n');
      const call = { url: request.url ?? '', headers: request.headers, lines };
      stub.calls.push(call);
      const { status, body: answered = {}, headers = {} } = stub.answer(call);
      response.writeHead(status, headers).end(JSON.stringify(answered));
    });
    return stub;
  }

  /** The lines of each call, without the first call, which has none. */
  get batches(): readonly (readonly string[])[] {
    return this.calls.filter(({ lines }) => lines.length > 0).map(({ lines }) => lines);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    if (this.#server.listening) await once(this.#server.close(), 'close');
  }
}
