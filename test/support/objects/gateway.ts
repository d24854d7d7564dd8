import type { IssuedKey } from '../../../src/application/keys/fresh-key.js';
import type { Admission } from '../../../src/application/limits/admit-request.js';
import type { Account } from '../../../src/domain/accounts/account.js';
import { PLANS, type Plans } from '../../../src/domain/billing/plan.js';
import type { KeyState } from '../../../src/domain/keys/api-key.js';
import type { Scope } from '../../../src/domain/keys/scope.js';
import { accountsInMemory, type InMemory, rewrite } from '../service/accounts.js';
import { NOON } from './builders.js';

export const HERE = '192.0.2.1';

/** Plans with small limits that tests can use up. */
export const SMALL: Plans = { ...PLANS, free: { ...PLANS.free, requestsPerMinute: 2, requestsPerDay: 5 } };

export const code = (admission: Admission) => (admission.admitted ? 'admitted' : admission.refusal.refused);
export const remaining = ({ limits }: Admission) =>
  Object.fromEntries(limits.map(({ policy, remaining }) => [policy.name, remaining]));

export type Parts = Pick<Account['subscription'], 'state' | 'suspension'> & {
  readonly keyState: KeyState;
  readonly scopes: readonly Scope[];
};

/** Returns a function that sets the given fields of an account's subscription and of all its keys. */
export const made =
  ({ keyState, scopes, ...subscription }: Partial<Parts>) =>
  (account: Account): Account => ({
    ...account,
    subscription: { ...account.subscription, ...subscription },
    keys: account.keys.map((key) => ({
      ...key,
      state: keyState ?? key.state,
      scopes: scopes ?? key.scopes,
    })),
  });

export const REVOKED: KeyState = {
  status: 'revoked',
  cause: 'manual',
  revokedAt: NOON,
  worksUntil: NOON,
  held: false,
};

/** The gateway over a service in memory, new for each test. */
export function gatewayInMemory() {
  let service: InMemory;
  const open = (plans?: Plans) => {
    service = accountsInMemory(plans === undefined ? {} : { plans });
  };
  beforeEach(() => open());
  const ask = (credential: string | null, address = HERE) =>
    service.admitRequest()({
      key: service.keyOf(credential),
      address,
      source: address,
      network: '192.0.2.0/24',
    });
  return {
    service: () => service,
    open,
    ask,
    times: async (n: number, credential: string | null, address = HERE) => {
      const answers: Admission[] = [];
      for (let i = 0; i < n; i += 1) answers.push(await ask(credential, address));
      return answers.map(code);
    },
    unknown: (n = 0) => service.format.compose(`${String(n).padStart(42, '0')}A`),
    become: ({ account }: IssuedKey, parts: Partial<Parts>) => rewrite(service, account.id, made(parts)),
  };
}
