import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import type { AccountId } from '../../../src/domain/accounts/account.js';
import {
  accountOfReference,
  issueReference,
  readCheckoutLink,
} from '../../../src/domain/billing/checkout-reference.js';
import { DAY, MICROSECOND, type Moment, plus, SECOND } from '../../../src/domain/moment.js';
import { accepted, account, moment, NOON, runs } from '../../support/objects/builders.js';

/** A stand-in for the signature of the adapter: no two contents have the same one. */
const sign = (content: string) => createHash('sha256').update(`secret ${content}`).digest('base64url');
const isSigned = (content: string, signature: string) => sign(content) === signature;

const ID = 'acc_0123456789abcdef01234567' as AccountId;
const issued = (at: Moment = NOON, id: AccountId = ID) =>
  accepted(issueReference({ ...account(), id }, at, sign));
const link = (text: string, openedAt: Moment = NOON) => readCheckoutLink(text, () => openedAt, isSigned);

const ids = fc
  .array(fc.constantFrom(...'0123456789abcdef'), { minLength: 24, maxLength: 24 })
  .map((digits) => `acc_${digits.join('')}` as AccountId);
/** Up to a century after `NOON`. */
const moments = fc.integer({ min: 0, max: 100 * 365 * 86_400 }).map((s) => plus(NOON, s * SECOND));

describe('A checkout reference', () => {
  it('has a format that Stripe accepts, and expires 7 days after the second of its issue', () => {
    const at = moment('2026-03-01T12:00:00.999999Z');
    const { reference, expiresAt } = issued(at);
    expect(reference).to.equal(`ref_1772366400_${ID}_${sign(`ref_1772366400_${ID}`)}`);
    expect(expiresAt).to.equal(plus(NOON, 7 * DAY));
  });

  it('has at most 120 characters, each of them a letter, a digit, - or _', () => {
    fc.assert(
      fc.property(ids, moments, (id, at) => /^[A-Za-z0-9_-]{1,120}$/.test(issued(at, id).reference)),
      runs(200),
    );
  });

  it('names its account, whoever signed it', () => {
    expect(accountOfReference(issued().reference)).to.equal(ID);
    expect(accountOfReference(`${issued().reference.slice(0, -4)}AAAA`)).to.equal(ID);
    for (const text of [ID, '', `${issued().reference}x`]) expect(accountOfReference(text)).to.equal(null);
  });

  it('is not issued for an account that is a customer already', () => {
    const linked = { ...account(), processorCustomerId: 'cus_1' };
    expect(issueReference(linked, NOON, sign)).to.deep.equal({ refused: 'account_linked' });
  });

  it('links its account to the customer of a checkout that is opened before it expires', () => {
    fc.assert(
      fc.property(ids, moments, fc.integer({ min: 0, max: 7 * 86_400 - 1 }), (id, at, later) => {
        const { reference } = issued(at, id);
        expect(link(reference, plus(at, later * SECOND))).to.deep.equal({ account: id, refusal: null });
      }),
      runs(200),
    );
  });

  // biome-ignore format: a table is read by its columns
  const opened: readonly (readonly [when: string, openedAt: Moment, refusal: string | null])[] = [
    ['a minute before its issue, by a clock that is behind', plus(NOON, -60 * SECOND),           null],
    ['at its issue',                                         NOON,                               null],
    ['a microsecond before 7 days',                          plus(NOON, 7 * DAY - MICROSECOND),  null],
    ['at exactly 7 days',                                    plus(NOON, 7 * DAY),                'expired'],
    ['years later',                                          plus(NOON, 3_000 * DAY),            'expired'],
  ];
  for (const [when, openedAt, refusal] of opened) {
    it(`${refusal === null ? 'links' : 'is refused'} if the checkout was opened ${when}`, () => {
      expect(link(issued().reference, openedAt)).to.deep.equal({ account: ID, refusal });
    });
  }

  it('is refused or not recognised after any change of its characters', () => {
    const characters = fc.constantFrom(...'0123456789abcdefXYZ_-', ' ', 'é');
    const { reference } = issued();
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: reference.length }),
        fc.constantFrom(0, 1),
        fc.option(characters, { nil: '' }),
        (at, removed, put) => {
          const changed = reference.slice(0, at) + put + reference.slice(at + removed);
          if (changed === reference) return;
          expect(link(changed)?.refusal, changed).not.to.equal(null);
        },
      ),
      runs(1_000),
    );
  });

  it('cannot be combined from two others', () => {
    const [one, other] = [issued(NOON).reference, issued(plus(NOON, DAY), ID).reference];
    const signature = one.slice(-43);
    expect(link(other.slice(0, -43) + signature)?.refusal).to.equal('not_signed');
    const victim = ID.replace('0123', 'ffff') as AccountId;
    expect(link(one.replace(ID, victim))).to.deep.equal({ account: victim, refusal: 'not_signed' });
  });

  it('is distinct from the plain id of an account, which links nothing', () => {
    fc.assert(
      fc.property(ids, (id) => {
        expect(link(id)).to.deep.equal({ account: id, refusal: 'account_id' });
      }),
      runs(50),
    );
  });

  it('is distinct from any other text, for which the time of the checkout is not read', () => {
    const deadlineRule = () => {
      throw new Error('the time of the checkout was read');
    };
    const texts = [
      '',
      'order-4711',
      'acc_1',
      `${ID}0`,
      ID.toUpperCase(),
      `ref_${ID}`,
      `x${issued().reference}`,
    ];
    for (const text of texts) expect(readCheckoutLink(text, deadlineRule, isSigned), text).to.equal(null);
    fc.assert(
      fc.property(fc.string(), (text) => readCheckoutLink(text, deadlineRule, isSigned) === null),
      runs(200),
    );
  });
});
