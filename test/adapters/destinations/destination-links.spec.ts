import { expect } from 'chai';
import { destinationLinks } from '../../../src/adapters/destinations/destination-links.js';
import { sealingOf } from '../../../src/adapters/destinations/sealing.js';
import type { SentLink } from '../../../src/application/ports/destinations/destination-links.js';
import type { DestinationId } from '../../../src/domain/destinations/destination.js';
import { NOON } from '../../support/objects/builders.js';

const ID = 'dst_1' as DestinationId;
const links = () => {
  const sealing = sealingOf([], { isStored: false }) ?? expect.fail();
  return destinationLinks({ sealing, publicUrl: () => 'https://oddswire.example' });
};
const sentIn = (url: string): SentLink => {
  const { searchParams } = new URL(url);
  return {
    destination: searchParams.get('destination') ?? '',
    token: searchParams.get('token') ?? '',
  };
};

describe('The links in emails of destinations', () => {
  const own = links();
  const confirmation = { id: ID, address: 'desk@example.org', endsAt: NOON };
  const confirm = own.confirmUrl(confirmation);
  const unsubscribe = own.unsubscribeUrl(ID);

  it('lead to the pages of this service, and are read there', () => {
    expect(confirm).to.match(/^https:\/\/oddswire\.example\/dashboard\/destinations\/confirm\?/);
    expect(own.readConfirm(sentIn(confirm))).to.deep.equal(confirmation);
    expect(unsubscribe).to.match(/^https:\/\/oddswire\.example\/dashboard\/destinations\/unsubscribe\?/);
    expect(own.readUnsubscribe(sentIn(unsubscribe))).to.equal(ID);
  });

  it('show nothing of the mailbox', () => {
    expect(confirm).not.to.include('desk');
  });

  it('are valid for no other destination, purpose or service, and cannot be made up', () => {
    const [confirming, ending] = [sentIn(confirm), sentIn(unsubscribe)];
    const wrong: readonly SentLink[] = [
      { ...ending, destination: 'dst_2' },
      { ...ending, token: '' },
      { ...ending, token: ending.token.replace(/.(.{9})$/, '!$1') },
      { ...ending, token: ID },
      sentIn(links().unsubscribeUrl(ID)),
    ];
    expect([confirming, ...wrong].map((sent) => own.readUnsubscribe(sent))).to.deep.equal(
      Array(6).fill(null),
    );
    expect([ending, ...wrong].map((sent) => own.readConfirm(sent))).to.deep.equal(Array(6).fill(null));
  });
});
