import { expect } from 'chai';
import type { Replacement } from '../../../src/composition/compose.js';
import type { AccountId } from '../../../src/domain/accounts/account.js';
import { type Composed, composed, type Holder, keyHolder, requestNews } from './composed.js';
import { operatorOf, type PageAnswer, type Visitor } from './visitor.js';

/** The operator console of a service in this process. Each test has a new account with a key. */
export function operatorConsole(replace: Replacement = () => ({})) {
  let service: Composed;
  let holder: Holder;
  before(async () => {
    service = await composed({ LOG_LEVEL: 'trace' }, replace);
  });
  after(() => service.stop());
  beforeEach(async () => {
    holder = await keyHolder(service);
  });

  const home = (id: AccountId = holder.account) => `/operator/accounts/${id}`;
  const audit = () => service.parts.accounts.auditOf(holder.account);
  return {
    service: () => service,
    holder: () => holder,
    operator: () => operatorOf(service),
    home,
    ofKey: (action: string) => `${home()}/keys/${holder.key.id}/acts/${action}`,
    ofAccount: (action: string) => `${home()}/acts/${action}`,
    statusNow: async () => (await requestNews(service, holder.value)).status,
    lastEntry: async () => (await audit()).at(-1),
    everythingNow: async () => ({
      account: await service.parts.accounts.find(holder.account),
      audit: await audit(),
    }),
  };
}

/** Opens the page of an operator action, and submits its form. */
export async function does(person: Visitor, path: string, reason: string): Promise<PageAnswer> {
  expect((await person.open(path)).status).to.equal(200);
  return person.submit(path, { reason });
}
