import { expect } from 'chai';
import { NO_CONTROLS } from '../../../src/domain/keys/key-controls.js';
import type { Label } from '../../../src/domain/keys/label.js';
import { DAY, plus } from '../../../src/domain/moment.js';
import { accepted, keyId, NOON } from '../../support/objects/builders.js';
import { accountsInMemory, aHolder, storedKey } from '../../support/service/accounts.js';

const LABEL = 'night job' as Label;

describe('The owner of a key (D72)', () => {
  it('edits it, with an audit entry, by the limits of the current plan', async () => {
    const service = accountsInMemory();
    const { key, account } = await aHolder(service, 'free');
    const controls = { ...NO_CONTROLS, limits: { perMinute: 60, perDay: null } };
    accepted(await service.editKey(key.id, { label: LABEL, controls }, 'customer'));
    expect(await storedKey(service, key.id)).to.deep.include({ label: LABEL, controls });
    expect((await service.accounts.auditOf(account.id)).at(-1)).to.include({
      actor: 'customer',
      event: 'key_edited',
      reason: 'label, limits',
    });
    const more = { ...NO_CONTROLS, limits: { perMinute: 61, perDay: null } };
    const refused = await service.editKey(key.id, { label: LABEL, controls: more }, 'customer');
    expect(refused).to.have.property('refused', 'invalid_body');
  });

  it('cannot keep a key whose expiry has passed, which nothing has written down yet', async () => {
    const service = accountsInMemory();
    const { key } = await aHolder(service);
    const expiresAt = plus(NOON, DAY);
    const edit = (at: typeof expiresAt | null) =>
      service.editKey(key.id, { label: null, controls: { ...NO_CONTROLS, expiresAt: at } }, 'customer');
    accepted(await edit(expiresAt));
    service.clock.at = expiresAt;
    expect(await edit(null)).to.deep.equal({ refused: 'key_revoked' });
    await service.runDueWork.once();
    expect((await storedKey(service, key.id)).state).to.include({ status: 'revoked', cause: 'expiry' });
  });

  it('cannot edit a key that does not exist', async () => {
    const edited = await accountsInMemory().editKey(
      keyId('none'),
      { label: null, controls: NO_CONTROLS },
      'customer',
    );
    expect(edited).to.deep.equal({ refused: 'not_found', what: 'key' });
  });
});
