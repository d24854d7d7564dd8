import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { StripeEvent } from '../objects/stripe-objects.js';

type Stored = { readonly id: string };

/** The parts of Stripe's API that the service calls. Tests fill it with objects. */
export class StripeStub {
  readonly invoices = new Map<string, Stored>();
  readonly subscriptions = new Map<string, Stored>();
  readonly products = new Map<string, Stored>();
  readonly customers = new Map<string, Stored>();
  /** The form fields of each request for a portal session. */
  readonly portals: Readonly<Record<string, string>>[] = [];
  /** Events in the order of their creation. */
  readonly events: StripeEvent[] = [];
  /** The requested paths, with queries. */
  readonly asked: string[] = [];
  /** While set, every request is answered with this status. */
  failing: number | null = null;
  /** How much the clock of the stub is ahead, in milliseconds. */
  clockAheadMs = 0;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<StripeStub> {
    const server = createServer(async (request, response) => {
      const form = new URLSearchParams(await text(request));
      const { status, body } = stub.#answer(request.url ?? '', form);
      const date = new Date(Date.now() + stub.clockAheadMs).toUTCString();
      response
        .writeHead(status, { 'Content-Type': 'application/json', Date: date })
        .end(JSON.stringify(body));
    });
    const stub = new StripeStub(server);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return stub;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  #answer(path: string, form: URLSearchParams): { readonly status: number; readonly body: object } {
    this.asked.push(path);
    if (this.failing !== null) return { status: this.failing, body: { error: { message: 'away' } } };
    const { pathname, searchParams } = new URL(path, 'http://stub');
    if (pathname === '/v1/events') return this.#page(searchParams);
    if (pathname === '/v1/billing_portal/sessions') return this.#portal(form);
    const [, , kind = '', id = ''] = pathname.split('/');
    const { invoices, subscriptions, products, customers } = this;
    const stored = { invoices, subscriptions, products, customers }[kind]?.get(id);
    return stored === undefined
      ? { status: 404, body: { error: { type: 'invalid_request_error', message: `no such ${kind}: ${id}` } } }
      : { status: 200, body: stored };
  }

  /** For an unknown customer Stripe answers 400, not 404. */
  #portal(form: URLSearchParams): { readonly status: number; readonly body: object } {
    this.portals.push(Object.fromEntries(form));
    const customer = form.get('customer') ?? '';
    if (this.customers.has(customer)) {
      const url = `https://billing.stripe.example/p/session/${customer}`;
      return { status: 200, body: { id: 'bps_1', object: 'billing_portal.session', customer, url } };
    }
    const error = {
      ...{ type: 'invalid_request_error', code: 'resource_missing', param: 'customer' },
      message: `No such customer: '${customer}'`,
    };
    return { status: 400, body: { error } };
  }

  /** A page of events, newest first, as Stripe lists them. */
  #page(query: URLSearchParams): { readonly status: number; readonly body: object } {
    const since = Number(query.get('created[gte]') ?? 0);
    const types = [...query].filter(([name]) => name.startsWith('types')).map(([, type]) => type);
    const all = this.events
      .filter(({ created, type }) => created >= since && types.includes(type))
      .toReversed();
    const after = query.get('starting_after');
    const from = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1;
    const limit = Number(query.get('limit') ?? 10);
    // As Stripe does for an event that it no longer has.
    if (after !== null && from === 0) {
      const error = { type: 'invalid_request_error', message: `No such event: '${after}'` };
      return { status: 404, body: { error } };
    }
    const data = all.slice(from, from + limit);
    return { status: 200, body: { object: 'list', data, has_more: from + limit < all.length } };
  }
}
