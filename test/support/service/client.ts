import { type IncomingHttpHeaders, request } from 'node:http';
import { request as requestWithTls } from 'node:https';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { stripeSignatureHeader } from '../objects/stripe-objects.js';
import { type Answered, type Conformance, conformance, type OpenApi } from './conformance.js';
import { type Service, WEBHOOK_SECRET } from './running-service.js';

export type Asked = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
  /** The address of the client. */
  readonly localAddress?: string;
  /** The certificate of an https server of the tests. */
  readonly ca?: string;
};

export type Reply = Answered & {
  /** The parsed JSON body; undefined if the body is not JSON. */
  readonly json: unknown;
  readonly bytes: number;
};

/** On the public listener, and in the document of the internal one: it is not for customers. */
const WEBHOOKS = '/webhooks/';
const ACCOUNTS = '/internal/v1/accounts';

/** Sends requests to the instances in turn, and checks every answer against the OpenAPI documents. */
export class Client {
  readonly #service: Service;
  readonly #open: Conformance;
  readonly #internal: Conformance;
  #nextInstance = 0;

  private constructor(service: Service, { open, internal }: Documents) {
    this.#service = service;
    this.#open = conformance(open);
    this.#internal = conformance(internal);
  }

  static async of(service: Service): Promise<Client> {
    const [instance] = service.instances;
    return new Client(service, await documentsOf(instance?.url ?? '', instance?.internalUrl ?? ''));
  }

  /** Sends a request to the public listener. */
  async ask(path: string, asked: Asked = {}): Promise<Reply> {
    return this.#checked(this.#next().url, path, asked, true);
  }

  /** Requests `GET /pm/v2/news` with a key. */
  news(key: string, query = '', headers: Asked['headers'] = {}): Promise<Reply> {
    return this.ask(`/pm/v2/news${query}`, { headers: { 'X-API-Key': key, ...headers } });
  }

  /** Sends a request to the internal listener, with the operator token and a JSON body. */
  async operate(method: string, path: string, body?: unknown): Promise<Reply> {
    const headers = {
      Authorization: `Bearer ${this.#service.tokens.operator}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    };
    const asked = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const reply = await this.internal(path, asked);
    // No instance has a copy of an account that was just opened: it has no key.
    if (method !== 'GET' && path !== ACCOUNTS) await this.#invalidatedByAll();
    return reply;
  }

  /** Delivers a webhook, by default with a valid signature at the service's time. */
  async deliver(
    event: object,
    signed: { readonly secret?: string; readonly seconds?: number } = {},
  ): Promise<Reply> {
    const body = JSON.stringify(event);
    const seconds = signed.seconds ?? Date.parse(await this.time()) / 1_000;
    const header = stripeSignatureHeader(body, signed.secret ?? WEBHOOK_SECRET, Math.floor(seconds));
    const headers = { 'Content-Type': 'application/json', 'Stripe-Signature': header };
    const reply = await this.ask('/webhooks/stripe', { method: 'POST', headers, body });
    await this.#invalidatedByAll();
    return reply;
  }

  /** The time of the service. */
  async time(): Promise<string> {
    return ((await this.operate('GET', '/internal/v1/test-clock')).json as { readonly now: string }).now;
  }

  /**
   * Waits until every instance has received every invalidation: then no copy is outdated (D39). Twice, because another
   * instance may have stored a change of a background job, and be about to send its invalidation.
   */
  async #invalidatedByAll(): Promise<void> {
    const { instances } = this.#service;
    if (instances.length === 1) return;
    for (let sentBefore = -1; ; ) {
      const counts = await Promise.all(instances.map(({ internalUrl }) => invalidationsOf(internalUrl)));
      const sent = counts.reduce((sum, count) => sum + count.sent, 0);
      const isHeard = counts.every(({ heard }) => heard >= sent);
      if (isHeard && sent === sentBefore) return;
      sentBefore = isHeard ? sent : -1;
    }
  }

  async internal(path: string, asked: Asked = {}): Promise<Reply> {
    const { internalUrl } = this.#next();
    const reply = await this.#checked(internalUrl, path, asked, false);
    if (path.startsWith('/internal/v1/news')) await this.publishedByAll();
    return reply;
  }

  /** Resolves when all instances serve the same version of the feed. */
  async publishedByAll(): Promise<void> {
    const { instances } = this.#service;
    if (instances.length === 1) return;
    for (;;) {
      const versions = await Promise.all(instances.map(({ internalUrl }) => feedVersionOf(internalUrl)));
      if (versions.every((version) => version === Math.max(...versions))) return;
    }
  }

  publish(body: string | Buffer, query = '', type = 'application/x-ndjson'): Promise<Reply> {
    const { publisher } = this.#service.tokens;
    const headers = { Authorization: `Bearer ${publisher}`, 'Content-Type': type };
    return this.internal(`/internal/v1/news${query}`, { method: 'POST', headers, body });
  }

  retract(id: string): Promise<Reply> {
    const headers = { Authorization: `Bearer ${this.#service.tokens.publisher}` };
    return this.internal(`/internal/v1/news/${encodeURIComponent(id)}`, { method: 'DELETE', headers });
  }

  /** Waits for the nth log line with this text, from any instance. */
  line(text: string, times = 1): Promise<string> {
    return Promise.race(this.#service.instances.map((instance) => instance.line(text, times)));
  }

  /** All output of all instances so far. */
  outputs(): readonly string[] {
    return this.#service.instances.flatMap(({ output }) => output);
  }

  #next() {
    const { instances } = this.#service;
    const instance = instances[this.#nextInstance % instances.length];
    this.#nextInstance += 1;
    if (instance === undefined) throw new Error('the service has no instance');
    return instance;
  }

  async #checked(base: string, path: string, asked: Asked, isPublic: boolean): Promise<Reply> {
    const reply = await send(`${base}${path}`, asked);
    const [route = ''] = path.split('?');
    const holds = isPublic && !route.startsWith(WEBHOOKS) ? this.#open : this.#internal;
    const faults = holds(asked.method ?? 'GET', route, reply, isPublic);
    expect(faults, `${asked.method ?? 'GET'} ${route} → ${reply.status}`).to.deep.equal([]);
    return reply;
  }
}

type Documents = { readonly open: OpenApi; readonly internal: OpenApi };

/** The OpenAPI documents of both listeners. The previous version has one document, on the public listener. */
async function documentsOf(url: string, internalUrl: string): Promise<Documents> {
  const [open, internal] = await Promise.all(
    [url, internalUrl].map(async (base) => (await send(`${base}/openapi.json`, {})).json as OpenApi),
  );
  if (open === undefined) throw new Error('the service has no OpenAPI document');
  return { open, internal: internal?.paths === undefined ? open : internal };
}

/** The OpenAPI documents of both listeners as one, with the codes of customers. */
export async function documentOf(url: string, internalUrl: string): Promise<OpenApi> {
  const { open, internal } = await documentsOf(url, internalUrl);
  const schemas = { ...internal.components.schemas, ...open.components.schemas };
  return { paths: { ...internal.paths, ...open.paths }, components: { schemas } };
}

async function feedVersionOf(internalUrl: string): Promise<number> {
  const { text } = await send(`${internalUrl}/metrics`, {});
  return Number(/^oddswire_feed_version (\d+)/m.exec(text)?.[1] ?? 0);
}

async function invalidationsOf(
  internalUrl: string,
): Promise<{ readonly sent: number; readonly heard: number }> {
  const { text } = await send(`${internalUrl}/metrics`, {});
  const count = (what: string) =>
    Number(new RegExp(`^oddswire_hints_total\\{what="${what}"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
  return { sent: count('sent'), heard: count('heard') };
}

const decoders: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
};

/** Sends one request on a new connection. */
export function send(
  url: string,
  { method = 'GET', headers = {}, body, ...connection }: Asked,
): Promise<Reply> {
  return new Promise((done, fail) => {
    const sending = (url.startsWith('https:') ? requestWithTls : request)(
      url,
      { method, headers: headers as IncomingHttpHeaders, agent: false, ...connection },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', fail);
        answer.on('end', () => {
          const sent = Buffer.concat(chunks);
          const decode = decoders[answer.headers['content-encoding'] ?? ''];
          const text = (decode !== undefined && sent.length > 0 ? decode(sent) : sent).toString();
          const isJson = /\bjson\b/.test(answer.headers['content-type'] ?? '') && text !== '';
          done({
            status: answer.statusCode ?? 0,
            headers: answer.headers as Record<string, string>,
            text,
            json: isJson ? JSON.parse(text) : undefined,
            bytes: sent.length,
          });
        });
      },
    );
    sending.on('error', fail).end(body);
  });
}
