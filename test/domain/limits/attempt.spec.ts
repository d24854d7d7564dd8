import { expect } from 'chai';
import {
  ATTEMPTS_FROM_ADDRESS,
  LINKS_TO_MAILBOX,
  NEW_KEYS,
  newAccounts,
  newcomerMails,
  PORTAL_VISITS,
  WRONG_TOKEN_WARNINGS,
  WRONG_TOKENS_FROM_ADDRESS,
} from '../../../src/domain/limits/attempt.js';

describe('What people may try', () => {
  // biome-ignore format: a table is read by its columns
  const cases = [
    ['mails to a mailbox',               LINKS_TO_MAILBOX,      5,  '15 minutes', 900],
    ['attempts from a client address',   ATTEMPTS_FROM_ADDRESS, 30, '10 minutes', 600],
    ['mails to newcomers, by setting',   newcomerMails(30),     30, 'a day',      86_400],
    ['new accounts, by setting',         newAccounts(10),       10, 'a day',      86_400],
    ['wrong tokens from a client address', WRONG_TOKENS_FROM_ADDRESS, 30, '10 minutes', 600],
    ['warnings of them',                 WRONG_TOKEN_WARNINGS,  1,  'a minute',   60],
    ['new keys of an account',           NEW_KEYS,              20, 'an hour',    3_600],
    ['ways to the processor’s pages',    PORTAL_VISITS,         10, '10 minutes', 600],
  ] as const;
  for (const [title, policy, quota, time, seconds] of cases) {
    it(`is ${quota} ${title} in ${time}, counted apart from all else`, () => {
      expect([policy.quota, policy.seconds]).to.deep.equal([quota, seconds]);
      expect(cases.filter(([, { name }]) => name === policy.name)).to.have.length(1);
    });
  }
});
