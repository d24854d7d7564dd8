import { request } from 'node:http';
import { expect } from 'chai';
import { type ControlServer, startControlServer } from '../../support/load/control-server.js';
import { type OpenLoop, openLoop } from '../../support/load/open-loop.js';
import { strangers } from '../../support/load/strangers.js';
import { stripeSignatureHeader } from '../../support/objects/stripe-objects.js';
import { aKey } from '../../support/service/api-calls.js';
import { Client } from '../../support/service/client.js';
import {
  type Instance,
  type Service,
  startService,
  WEBHOOK_SECRET,
} from '../../support/service/running-service.js';

const PER_SECOND = 200;
const REQUESTS = 1_000;
/** One address in the subnet of the attackers, and one address of an attacker. */
const PAYERS = ['127.0.0.1', '127.0.0.2'] as const;
/** An address in another subnet. */
const OTHER = '127.0.7.1';
/** The limit for a paying caller, or twice the p99 of a bare server at the same time if that is greater. */
const P99_MS = 100;
const ANSWERED_WITHIN_MS = 1_000;

type RequestOptions = {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
};

/** Sends a request from `OTHER`. Returns its status and duration. */
const fromElsewhere = (url: string, { method = 'GET', headers = {}, body }: RequestOptions = {}) =>
  new Promise<{ status: number; ms: number }>((done, fail) => {
    const at = performance.now();
    const sending = request(url, { method, headers, localAddress: OTHER, agent: false }, (answer) => {
      const { statusCode: status = 0 } = answer;
      answer.resume().once('end', () => done({ status, ms: performance.now() - at }));
    });
    sending.once('error', fail).end(body);
  });

describe('Unauthenticated clients that hold connections open', () => {
  let service: Service;
  let instance: Instance;
  let control: ControlServer;
  let key: string;
  before(async () => {
    service = await startService();
    [instance] = service.instances as [Instance];
    control = await startControlServer();
    const client = await Client.of(service);
    key = (await aKey(client)).key;
  });
  after(async () => {
    control.stop();
    await service.stop();
  });

  const paying = () => asking(`${instance.url}/pm/v2/news?limit=1`);
  const asking = (url: string): Promise<OpenLoop> =>
    openLoop({ perSecond: PER_SECOND, count: REQUESTS }, (n) => ({
      url,
      headers: { 'X-API-Key': key },
      localAddress: PAYERS[n % 2] ?? PAYERS[0],
      isOnNewConnection: n % 10 === 0,
    }));

  it('do not block paying callers, webhooks, sign-ins or operators', async function () {
    this.timeout(60_000);
    const without = await paying();

    const attack = await strangers(Number(new URL(instance.url).port), {
      'unfinished webhook': 1_100,
      'unfinished form of the dashboard': 150,
      'unfinished form of the console': 150,
      'mute socket': 500,
      'header dripper': 500,
      'non-reader': 200,
    });
    try {
      // The service has handled the requests of the attack by now; the connections stay open.
      await fromElsewhere(`${instance.url}/status`);
      const beside = Promise.all([paying(), asking(control.url)]);
      const opened = attack.open();
      const others = await Promise.all([signedWebhook(), signIn(), operatorSignIn()]);
      const [during, bare] = await beside;
      const page = await fromElsewhere(`${instance.url}/operator/sign-in`, { headers: LOCAL });
      report({ without, during, bare, opened: [attack.count, opened, attack.open()] });
      for (const loop of [without, during, bare]) expect(loop.statuses).to.deep.equal({ 200: REQUESTS });
      expect(during.p99Ms).to.be.at.most(Math.max(P99_MS, 2 * bare.p99Ms));
      expect(others.map(({ status }) => status)).to.deep.equal([200, 200, 303]);
      for (const { ms } of others) expect(ms).to.be.at.most(ANSWERED_WITHIN_MS);
      expect(page.status).to.equal(200);
    } finally {
      attack.release();
    }
  });

  const LOCAL = {
    get Host() {
      return `localhost:${new URL(instance.url).port}`;
    },
  };
  const form = (path: string, fields: Record<string, string>) =>
    fromElsewhere(`${instance.url}${path}`, {
      method: 'POST',
      headers: { ...LOCAL, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    });
  const signIn = () => form('/dashboard/sign-in', { email: 'new@strangers.example' });
  const operatorSignIn = () => form('/operator/sign-in', { token: service.tokens.operator });

  function signedWebhook() {
    const seconds = Math.floor(Date.now() / 1_000);
    const body = JSON.stringify({ id: 'evt_1', object: 'event', type: 'ping', created: seconds });
    const header = stripeSignatureHeader(body, WEBHOOK_SECRET, seconds);
    return fromElsewhere(`${instance.url}/webhooks/stripe`, {
      method: 'POST',
      headers: { 'Stripe-Signature': header, 'Content-Type': 'application/json' },
      body,
    });
  }
});

function report(
  seen: Record<'without' | 'during' | 'bare', OpenLoop> & { readonly opened: readonly number[] },
): void {
  const { without, during, bare, opened } = seen;
  const [all, first, last] = opened;
  const figures = ({ p50Ms, p99Ms }: OpenLoop) => `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`;
  console.log(
    `      ${REQUESTS} requests, ${PER_SECOND} a second: ${figures(without)} without attack; ` +
      `${figures(during)} with ${all} connections (${first} open at first, ${last} at the end); ` +
      `${figures(bare)} on a bare server at the same time`,
  );
}
