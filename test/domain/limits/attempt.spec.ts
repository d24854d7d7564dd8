import { expect } from 'chai';
import {
  ATTEMPTS_FROM_ADDRESS,
  DESTINATION_CHANGES,
  DESTINATION_CONFIRMATIONS,
  KEY_CHANGES,
  LINKS_TO_MAILBOX,
  mailsWithoutAccount,
  NEW_KEYS,
  newAccounts,
  PORTAL_VISITS,
  WRONG_TOKEN_WARNINGS,
  WRONG_TOKENS_FROM_ADDRESS,
} from '../../../src/domain/limits/attempt.js';

describe('The limit of attempts', () => {
  // biome-ignore format: a table is read by its columns
  const cases = [
    ['mails to one mailbox',               LINKS_TO_MAILBOX,      5,  '15 minutes', 900],
    ['sign-in attempts from one client address',   ATTEMPTS_FROM_ADDRESS, 30, '10 minutes', 600],
    ['mails to addresses without an account',   mailsWithoutAccount(30),     30, 'a day',      86_400],
    ['new accounts',         newAccounts(10),       10, 'a day',      86_400],
    ['wrong tokens from one client address', WRONG_TOKENS_FROM_ADDRESS, 30, '10 minutes', 600],
    ['log lines about wrong tokens',                 WRONG_TOKEN_WARNINGS,  1,  'a minute',   60],
    ['changes of the keys of one account', KEY_CHANGES,          100, 'an hour',    3_600],
    ['new keys of one account',           NEW_KEYS,              20, 'an hour',    3_600],
    ['visits to the billing portal',    PORTAL_VISITS,         10, '10 minutes', 600],
    ['links to confirm a mailbox, of one account', DESTINATION_CONFIRMATIONS, 5, 'an hour', 3_600],
    ['changes of the destinations of one account', DESTINATION_CHANGES,     100, 'an hour', 3_600],
  ] as const;
  for (const [title, policy, quota, time, seconds] of cases) {
    it(`allows ${quota} ${title} in ${time}, with a counter of its own`, () => {
      expect([policy.quota, policy.seconds]).to.deep.equal([quota, seconds]);
      expect(cases.filter(([, { name }]) => name === policy.name)).to.have.length(1);
    });
  }
});
