import { expect } from 'chai';
import fc from 'fast-check';
import { epochSeconds } from '../../../src/domain/moment.js';
import {
  type Document,
  hostileTexts,
  percentEncoded,
  textLocations,
} from '../../support/load/hostile-requests.js';
import { runs } from '../../support/objects/builders.js';
import { stripeSignatureHeader, stripeSubscription } from '../../support/objects/stripe-objects.js';
import { freshSchema, type Schema } from '../../support/servers/stores.js';
import { documentOf } from '../../support/service/client.js';
import {
  ask,
  bearer,
  type Composed,
  composed,
  type Holder,
  keyHolder,
  START,
} from '../../support/service/composed.js';
import { operatorOf, type Visitor, visitorOf } from '../../support/service/visitor.js';

/** Tried at every location before random texts. */
const WORST = ['\0', 'zero \0 character', 'half \udc00 a character', 'x'.repeat(15_000)];

const SECRET = 'whsec_hostile';
/** Destinations need one in Postgres. */
const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');

/** A service with an account, a key and two signed-in users. */
type Side = {
  readonly service: Composed;
  readonly holder: Holder;
  readonly customer: Visitor;
  readonly operator: Visitor;
};

describe('A hostile text', () => {
  let schema: Schema;
  let sides: readonly Side[];
  before(async () => {
    schema = await freshSchema();
    const settings = {
      STRIPE_WEBHOOK_SECRET: SECRET,
      LOG_LEVEL: 'info',
      ANONYMOUS_PER_MINUTE: '1000000',
      SECRETS_KEY,
    };
    const services = [await composed(settings), await composed({ ...settings, DATABASE_URL: schema.url })];
    sides = await Promise.all(
      services.map(async (service) => {
        const holder = await keyHolder(service);
        const customer = await visitorOf(service, holder.account);
        return { service, holder, customer, operator: await operatorOf(service) };
      }),
    );
  });
  after(async () => {
    await Promise.all(sides.map(({ service }) => service.stop()));
    await schema.close();
  });

  /** Expects the same status below 500 from both services, and no fault in their logs. */
  async function expectSame(what: string, send: (side: Side) => Promise<{ readonly status: number }>) {
    const faults = () =>
      sides.flatMap(({ service }) => service.lines.filter(({ msg }) => msg === 'a request failed'));
    const before = faults().length;
    const [inMemory, inPostgres] = await Promise.all(sides.map(async (side) => (await send(side)).status));
    expect(faults().slice(before), what).to.deep.equal([]);
    expect(inMemory, what).to.be.within(200, 499);
    expect(inPostgres, what).to.equal(inMemory);
  }

  const described = async (): Promise<Document> => {
    const [side] = sides;
    return (await documentOf(side?.service.url ?? '', side?.service.internalUrl ?? '')) as Document;
  };

  it('causes no fault in any path, query or body of the OpenAPI document, over memory and Postgres', async () => {
    const locations = textLocations(await described());
    expect(locations.map(({ name }) => name)).to.include.members([
      'GET /internal/v1/payment-events: account_id',
      'GET /internal/v1/accounts/{id}: id',
      'POST /internal/v1/accounts: /email in application/json',
      'POST /internal/v1/keys/{id}/hold: /reason in application/json',
      'POST /internal/v1/news: /news_event/id in application/x-ndjson',
      'GET /pm/v2/news: market_id',
    ]);
    for (const { name, method, request, contentType } of locations) {
      await fc.assert(
        fc.asyncProperty(hostileTexts, async (text) => {
          const { path, body } = request(text);
          await expectSame(`${name} ${JSON.stringify(text).slice(0, 60)}`, ({ service, holder }) => {
            const isInternal = path.startsWith('/internal/');
            const token = path.includes('/news') ? 'publisher-token' : 'operator-token-of-the-tests';
            const id = path.includes('/keys/$ID') ? holder.key.id : holder.account;
            const url = `${isInternal ? service.internalUrl : service.url}${path.replace('$ID', id)}`;
            return ask(url, {
              method,
              headers: {
                ...bearer(isInternal ? token : holder.value),
                // A batch of the stream ends; an event stream does not.
                Accept: 'application/json',
                ...(contentType !== null && { 'Content-Type': contentType }),
              },
              ...(body !== undefined && { body }),
            });
          });
        }),
        { numRuns: 6, examples: WORST.map((text) => [text] as const) },
      );
    }
  }).timeout(60_000);

  it('causes no fault in any text of a signed webhook, over memory and Postgres', async () => {
    const event = { id: 'evt_1', type: 'customer.subscription.updated', created: epochSeconds(START) };
    const whole = JSON.stringify({
      ...event,
      data: { object: stripeSubscription({ customer: 'cus_hostile' }) },
    });
    const texts = [...new Set(whole.match(/"[^"]*"/g))];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...texts), hostileTexts, async (replaced, text) => {
        const body = whole.replaceAll(replaced, JSON.stringify(text));
        const signature = stripeSignatureHeader(body, SECRET, epochSeconds(START));
        await expectSame(`${replaced} → ${JSON.stringify(text).slice(0, 60)}`, ({ service }) =>
          ask(`${service.url}/webhooks/stripe`, {
            method: 'POST',
            headers: { 'Stripe-Signature': signature },
            body,
          }),
        );
      }),
      runs(100),
    );
  });

  /** Pages with a text in their address; `$TEXT` stands for it. */
  const PAGES = [
    '/dashboard/keys?said=$TEXT',
    '/dashboard/keys/$TEXT/rotation',
    '/dashboard/keys/$TEXT/revocation',
    '/dashboard/usage?key=$TEXT',
    '/dashboard/feed?market=$TEXT',
    '/dashboard/feed?cursor=$TEXT',
    '/dashboard/destinations?filter=$TEXT',
    '/dashboard/destinations?said=$TEXT',
    '/dashboard/destinations/$TEXT',
    '/dashboard/destinations/$TEXT/removal',
    '/dashboard/destinations/confirm?destination=$TEXT&token=v1.$TEXT',
    '/dashboard/destinations/unsubscribe?destination=$TEXT&token=$TEXT',
    '/dashboard/sign-in/link?token=$TEXT',
    '/dashboard/sign-in/$TEXT',
    '/dashboard/sign-in/$TEXT/callback?code=$TEXT',
    '/dashboard/assets/$TEXT',
    '/operator/accounts/$TEXT',
    '/operator/accounts/$TEXT/audit',
    '/operator/accounts/$TEXT/acts/hold',
    '/operator/accounts/$ACCOUNT?done=$TEXT',
    '/operator/accounts/$ACCOUNT/audit?before=$TEXT',
    '/operator/accounts/$ACCOUNT/acts/$TEXT',
    '/operator/accounts/$ACCOUNT/keys/$TEXT/acts/hold',
    '/operator/payment-events/$TEXT',
    '/operator/payment-events/$TEXT?done=$TEXT',
    '/operator/purges?done=$TEXT',
    '/operator/destinations?done=$TEXT',
    '/operator/destinations/$TEXT/acts/disable',
  ];

  for (const page of PAGES) {
    it(`causes no fault in the address of a page: ${page}, over memory and Postgres`, async () => {
      await fc.assert(
        fc.asyncProperty(hostileTexts, async (text) => {
          const path = page.replaceAll('$TEXT', percentEncoded(text.slice(0, 4_000)));
          await expectSame(path.slice(0, 200), ({ customer, operator, holder }) =>
            (page.startsWith('/operator') ? operator : customer).openOnce(
              path.replace('$ACCOUNT', holder.account),
            ),
          );
        }),
        { numRuns: 10, examples: WORST.map((text) => [text] as const) },
      );
    });
  }

  /** Forms, each with one text field. */
  const FORMS: readonly (readonly [path: string, field: string])[] = [
    ['/dashboard/keys', 'label'],
    ['/dashboard/keys', 'seen'],
    ['/dashboard/keys', 'form_token'],
    ['/dashboard/destinations', 'seen'],
    ['/dashboard/destinations', 'label'],
    ['/dashboard/destinations', 'kind'],
    ['/dashboard/destinations', 'address'],
    ['/dashboard/destinations', 'filter'],
    ['/dashboard/sign-in', 'email'],
    ['/dashboard/sign-in/link', 'token'],
    ['/operator', 'q'],
    ['/operator/sign-in', 'token'],
    ['/operator/accounts/$ACCOUNT/acts/hold', 'reason'],
    ['/operator/accounts/$ACCOUNT/keys/$KEY/acts/hold', 'reason'],
    ['/operator/payment-events/evt_nobody/replay', 'reason'],
    ['/operator/purges', 'id'],
    ['/operator/purges', 'reason'],
    ['/operator/destinations/dst_nobody/acts/disable', 'reason'],
  ];

  for (const [form, field] of FORMS) {
    it(`causes no fault in a form field: ${field} of ${form}, over memory and Postgres`, async () => {
      await fc.assert(
        fc.asyncProperty(hostileTexts, async (text) => {
          await expectSame(`${field}=${JSON.stringify(text).slice(0, 60)}`, async (side) => {
            const { holder } = side;
            const person = form.startsWith('/operator') ? side.operator : side.customer;
            const path = form.replace('$ACCOUNT', holder.account).replace('$KEY', holder.key.id);
            const { formToken } = await tokenOf(person, form);
            const fields = { form_token: formToken, [field]: text };
            return person.post(path, fields);
          });
        }),
        { numRuns: 10, examples: WORST.map((text) => [text] as const) },
      );
    });
  }

  /** Opens a page whose form token is valid for this form. */
  async function tokenOf(person: Visitor, form: string): Promise<Visitor> {
    await person.open(form.startsWith('/operator') ? '/operator' : '/dashboard/keys');
    return person;
  }
});
