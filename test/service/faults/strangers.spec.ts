import { request } from 'node:http';
import { expect } from 'chai';
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
/** Of the same subnet as the strangers, and one of their own addresses. */
const PAYERS = ['127.0.0.1', '127.0.0.2'] as const;
/** Of another subnet. */
const OTHER = '127.0.7.1';
/** What a paying caller notices at most; or twice what the same machine needs without strangers, where that is more. */
const ROUNDS = 3;
const P99_MS = 100;
const ANSWERED_WITHIN_MS = 1_000;

type Asking = {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
};

/** From another address; the status, and how long it took. */
const fromElsewhere = (url: string, { method = 'GET', headers = {}, body }: Asking = {}) =>
  new Promise<{ status: number; ms: number }>((done, fail) => {
    const at = performance.now();
    const asking = request(url, { method, headers, localAddress: OTHER, agent: false }, (answer) => {
      const { statusCode: status = 0 } = answer;
      answer.resume().once('end', () => done({ status, ms: performance.now() - at }));
    });
    asking.once('error', fail).end(body);
  });

describe('Strangers who hold connections open', () => {
  let service: Service;
  let instance: Instance;
  let key: string;
  before(async () => {
    service = await startService();
    [instance] = service.instances as [Instance];
    const client = await Client.of(service);
    key = (await aKey(client)).key;
  });
  after(() => service.stop());

  const paying = (): Promise<OpenLoop> =>
    openLoop({ perSecond: PER_SECOND, count: REQUESTS }, (n) => ({
      url: `${instance.url}/pm/v2/news?limit=1`,
      headers: { 'X-API-Key': key },
      localAddress: PAYERS[n % 2] ?? PAYERS[0],
      isOnNewConnection: n % 10 === 0,
    }));

  it('do not keep paying callers, webhooks, sign-ins or operators from being served', async function () {
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
      // What they asked for is answered, as far as they read it; they hold on.
      await fromElsewhere(`${instance.url}/status`);
      const beside = paying();
      const others = await Promise.all([signedWebhook(), signIn(), operatorSignIn()]);
      const bound = Math.max(P99_MS, 2 * without.p99Ms);
      const rounds = [await beside];
      // A pause of the whole machine is in one round; a service that strangers hold up is slow in each.
      while (rounds.length < ROUNDS && (rounds.at(-1)?.p99Ms ?? 0) > bound) rounds.push(await paying());
      const page = await fromElsewhere(`${instance.url}/operator/sign-in`, { headers: LOCAL });
      for (const during of rounds) report({ without, during, opened: attack.count, open: attack.open() });
      for (const loop of [without, ...rounds]) expect(loop.statuses).to.deep.equal({ 200: REQUESTS });
      expect(rounds.at(-1)?.p99Ms).to.be.at.most(bound);
      expect(others.map(({ status }) => status)).to.deep.equal([200, 200, 303]);
      for (const { ms } of others) expect(ms).to.be.at.most(ANSWERED_WITHIN_MS);
      expect(page.status).to.equal(200);
    } finally {
      attack.letGo();
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

function report(seen: { without: OpenLoop; during: OpenLoop; opened: number; open: number }): void {
  const { without, during, opened, open } = seen;
  const figures = ({ p50Ms, p99Ms }: OpenLoop) => `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`;
  console.log(
    `      ${REQUESTS} requests, ${PER_SECOND} a second: ${figures(without)} without strangers; ` +
      `${figures(during)} beside ${opened} of them (${open} still connected)`,
  );
}
