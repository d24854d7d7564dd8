import { expect } from 'chai';
import { nextDue } from '../../../src/domain/accounts/account-due.js';
import { PLANS } from '../../../src/domain/billing/plan.js';
import {
  editKey,
  issueKey,
  type KeyEdit,
  revokeKey,
  seenSettings,
} from '../../../src/domain/keys/account-keys.js';
import { type KeyControls, NO_CONTROLS } from '../../../src/domain/keys/key-controls.js';
import type { Label } from '../../../src/domain/keys/label.js';
import type { Network } from '../../../src/domain/keys/network.js';
import { DAY, plus } from '../../../src/domain/moment.js';
import {
  accepted,
  account,
  auditContext,
  freshKey,
  issued,
  keyId,
  keyNamed,
  NOON,
  rotated,
} from '../../support/objects/builders.js';

const k1 = keyId('k1');
const EXPIRY = plus(NOON, 30 * DAY);
const ALL: KeyControls = {
  expiresAt: EXPIRY,
  allowlist: ['192.0.2.0/24' as Network],
  limits: { perMinute: 10, perDay: 100 },
};
const LABEL = 'backtest' as Label;
const start = () => issued(account(), NOON, 'k1', 'k2');
const edit = (change: Partial<KeyEdit>, from = start(), at = NOON) =>
  editKey(
    from,
    k1,
    { label: keyNamed(from, 'k1').label, controls: keyNamed(from, 'k1').controls, ...change },
    PLANS[from.subscription.plan],
    auditContext(at),
  );

describe('An edit of a key (D72)', () => {
  it('sets its label and its controls, and no other key', () => {
    const { next, entries } = accepted(edit({ label: LABEL, controls: ALL }));
    expect(keyNamed(next, 'k1')).to.deep.include({ label: LABEL, controls: ALL });
    expect(keyNamed(next, 'k2')).to.deep.include({ label: null, controls: NO_CONTROLS });
    expect(entries).to.deep.equal([
      { ...auditContext(), event: 'key_edited', key: k1, reason: 'label, expiry, allowlist, limits' },
    ]);
  });

  const parts: readonly (readonly [string, Partial<KeyEdit>])[] = [
    ['label', { label: LABEL }],
    ['expiry', { controls: { ...NO_CONTROLS, expiresAt: EXPIRY } }],
    ['allowlist', { controls: { ...NO_CONTROLS, allowlist: ALL.allowlist } }],
    ['limits', { controls: { ...NO_CONTROLS, limits: { perMinute: null, perDay: 1 } } }],
    ['limits', { controls: { ...NO_CONTROLS, limits: { perMinute: 1, perDay: null } } }],
  ];
  for (const [name, change] of parts) {
    it(`names what it has changed in the audit log, without the values: ${name}`, () => {
      expect(accepted(edit(change)).entries.map(({ reason }) => reason)).to.deep.equal([name]);
    });
  }

  it('removes what was set', () => {
    const set = accepted(edit({ label: LABEL, controls: ALL })).next;
    const { next } = accepted(edit({ label: null, controls: NO_CONTROLS }, set));
    expect(keyNamed(next, 'k1')).to.deep.equal(keyNamed(start(), 'k1'));
    expect(nextDue(next)).to.equal(null);
  });

  it('of nothing changes nothing, and leaves no audit entry', () => {
    const from = start();
    expect(edit({}, from)).to.deep.equal({ next: from, entries: [] });
  });

  it('is refused for a revoked key, for an unknown one, and with a limit above the plan', () => {
    const gone = accepted(revokeKey(start(), k1, 'manual', auditContext())).next;
    expect(edit({ label: LABEL }, gone)).to.deep.equal({ refused: 'key_revoked' });
    expect(
      editKey(start(), keyId('none'), { label: null, controls: ALL }, PLANS.pro, auditContext()),
    ).to.deep.equal({ refused: 'not_found', what: 'key' });
    const tooMany = { ...NO_CONTROLS, limits: { perMinute: 3_001, perDay: null } };
    expect(edit({ controls: tooMany })).to.have.nested.property('faults[0].parameter', 'limit per minute');
  });

  it('starts the reminders of an expiry again when it is moved, and not with another change', () => {
    const at = plus(EXPIRY, -3 * DAY);
    const set = accepted(edit({ controls: { ...NO_CONTROLS, expiresAt: EXPIRY } })).next;
    expect(keyNamed(set, 'k1').remindAt).to.equal(plus(EXPIRY, -7 * DAY));
    expect(keyNamed(accepted(edit({ label: LABEL }, set)).next, 'k1').remindAt).to.equal(
      plus(EXPIRY, -7 * DAY),
    );
    const moved = accepted(edit({ controls: { ...ALL, expiresAt: plus(EXPIRY, DAY) } }, set, at)).next;
    expect(keyNamed(moved, 'k1').remindAt).to.equal(EXPIRY);
  });
});

describe('A new key (D72)', () => {
  it('can have controls from its beginning, within the plan', () => {
    const issue = (controls: KeyControls) =>
      issueKey(account({ plan: 'free' }), freshKey('k1'), PLANS.free, auditContext(), controls);
    const { next } = accepted(issue(ALL));
    expect(keyNamed(next, 'k1')).to.deep.include({ controls: ALL, remindAt: plus(EXPIRY, -7 * DAY) });
    expect(issue({ ...ALL, expiresAt: NOON })).to.have.property('refused', 'invalid_body');
  });

  it('that replaces another one gets its allowlist and its limits, and not its expiry', () => {
    const next = rotated(accepted(edit({ controls: ALL })).next, NOON, 'k1', 's1');
    expect(keyNamed(next, 's1')).to.deep.include({ controls: { ...ALL, expiresAt: null }, remindAt: null });
    expect(keyNamed(next, 'k1').controls).to.deep.equal(ALL);
  });
});

describe('An edit of a key by a form that began earlier (D128)', () => {
  const begin = start();
  const seen = seenSettings(keyNamed(begin, 'k1'));
  /** Another form of the same begin was saved first, with a label and limits. */
  const others: KeyControls = { ...NO_CONTROLS, limits: { perMinute: 5, perDay: null } };
  const saved = accepted(edit({ label: LABEL, controls: others, seen }, begin)).next;
  const second = (change: Partial<KeyEdit>) =>
    edit({ label: null, controls: NO_CONTROLS, ...change, seen }, saved);

  it('keeps the settings that it did not change, and sets the others', () => {
    const { next, entries } = accepted(second({ controls: { ...NO_CONTROLS, allowlist: ALL.allowlist } }));
    const controls = { ...others, allowlist: ALL.allowlist };
    expect(keyNamed(next, 'k1')).to.deep.include({ label: LABEL, controls });
    expect(entries.map(({ reason }) => reason)).to.deep.equal(['allowlist']);
  });

  for (const [name, change] of [
    ['the same label', { label: LABEL }],
    ['all the same', { label: LABEL, controls: others }],
    ['nothing', {}],
  ] as const) {
    it(`changes nothing more if it sets ${name}`, () => {
      expect(accepted(second(change))).to.deep.equal({ next: saved, entries: [] });
    });
  }

  for (const [name, change] of [
    ['another label', { label: 'other' as Label }],
    ['other limits', { controls: { ...NO_CONTROLS, limits: { perMinute: 6, perDay: null } } }],
    ['another label beside the same limits', { label: 'other' as Label, controls: others }],
  ] as const) {
    it(`is refused as a whole if it sets ${name}`, () => {
      expect(second(change)).to.deep.equal({ refused: 'changed_meanwhile' });
    });
  }

  for (const text of ['', '.', 'no settings', 'e30.e30.e30.e30'])
    it(`is refused if it does not say with which settings it began: '${text}'`, () => {
      expect(edit({ label: 'other' as Label, seen: text }, saved)).to.deep.equal({
        refused: 'changed_meanwhile',
      });
    });
});
