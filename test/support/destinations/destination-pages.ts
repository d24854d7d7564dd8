import type { MailConfirmation } from '../../../src/application/ports/destinations/mail-digest.js';
import type {
  OutgoingOutcome,
  OutgoingRequest,
} from '../../../src/application/ports/destinations/outgoing.js';
import type { Replacement } from '../../../src/composition/compose.js';
import type { AccountId } from '../../../src/domain/accounts/account.js';
import type { PlanName } from '../../../src/domain/billing/plan.js';
import type { Destination } from '../../../src/domain/destinations/destination.js';
import type { Environment } from '../../../src/settings/environment.js';
import { accepted } from '../objects/builders.js';
import { type Composed, composed } from '../service/composed.js';
import { type PageAnswer, type Visitor, visitorOf } from '../service/visitor.js';

export const PATH = '/dashboard/destinations';
export const HOOK = 'https://hooks.example.org/in/1f2c';

type Mailed = { readonly to: string } & Parameters<MailConfirmation>[1];

let accounts = 0;

/** The pages of destinations of a service in this process, with a network and a mail server that tests observe. */
export function destinationPages(environment: Environment = {}, replace: Replacement = () => ({})) {
  const requests: OutgoingRequest[] = [];
  const mails: Mailed[] = [];
  const network: { outcome: OutgoingOutcome } = { outcome: answered(204) };
  const mailServer: { delivery: Awaited<ReturnType<MailConfirmation>> } = { delivery: 'sent' };
  let service: Composed;
  before(async () => {
    const observed: Replacement = () => ({
      outgoing: () => ({
        post: async (request: OutgoingRequest) => {
          requests.push(request);
          return network.outcome;
        },
      }),
      mailConfirmation: () => async (to, request) => {
        mails.push({ to, ...request });
        return mailServer.delivery;
      },
    });
    service = await composed({ LOG_LEVEL: 'trace', ...environment }, observed, replace);
  });
  after(() => service.stop());
  beforeEach(() => {
    network.outcome = answered(204);
    mailServer.delivery = 'sent';
  });

  const holder = async (plan: PlanName = 'builder') => {
    accounts += 1;
    const email = `owner-${accounts}@destinations.example`;
    const opening = { email, plan, processorCustomerId: null };
    const { id: account } = accepted(await service.parts.openAccount(opening, 'test'));
    return { account, email, visitor: await visitorOf(service, account) };
  };
  const of = async (account: AccountId): Promise<readonly Destination[]> =>
    (await service.parts.destinations.of(account)).map(({ destination }) => destination);

  /** Submits the form of a new destination. */
  const create = async (visitor: Visitor, fields: Readonly<Record<string, string>>) => {
    await visitor.open(PATH);
    return visitor.submit(PATH, { seen: visitor.seen, label: 'Desk', ...fields });
  };
  /** The tests among the requests: deliveries of the background process come at any time. */
  const tests = () => requests.filter(({ body }) => String(body).includes('"test":true'));
  return {
    service: () => service,
    tests,
    ...{ requests, mails, network, mailServer, holder, of, create },
    /** A webhook whose test was answered, with the answer that showed its secret. */
    webhook: async (plan?: PlanName) => {
      const owner = await holder(plan);
      const created = await create(owner.visitor, { kind: 'webhook', address: HOOK });
      const [destination] = await of(owner.account);
      const path = `${PATH}/${destination?.id ?? ''}`;
      await owner.visitor.submit(`${path}/test`);
      return { ...owner, created, path, now: async () => (await of(owner.account))[0] };
    },
  };
}

export const answered = (status: number): OutgoingOutcome => ({
  answered: true,
  status,
  retryAfter: null,
  ms: 7,
});

export const secretIn = ({ html }: PageAnswer): string => /whsec_[A-Za-z0-9+/=]{44}/.exec(html)?.[0] ?? '';

export const tokenIn = ({ html }: PageAnswer): string => /feed_[A-Za-z0-9_-]{43}/.exec(html)?.[0] ?? '';
