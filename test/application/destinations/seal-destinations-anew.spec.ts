import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { sealingOf } from '../../../src/adapters/destinations/sealing.js';
import { sealDestinationsAnew } from '../../../src/application/destinations/seal-destinations-anew.js';
import type { Destinations } from '../../../src/application/ports/destinations/destinations.js';
import { type Destination, withSealedTexts } from '../../../src/domain/destinations/destination.js';
import { DAY, plus } from '../../../src/domain/moment.js';
import { isRefusal } from '../../../src/domain/refusal.js';
import { aDestination } from '../../support/destinations/destinations.js';
import { NOON } from '../../support/objects/builders.js';

const key = () => randomBytes(32).toString('base64');
const sealing = (...keys: readonly string[]) => sealingOf(keys, { isStored: true }) ?? expect.fail();

describe('Sealing destinations anew', () => {
  const [former, fresh, lost] = [key(), key(), key()];
  /** A webhook with two secrets under a key. */
  const webhook = (under: string): Destination => {
    const { id } = aDestination();
    const seal = (text: string, field: 'url' | 'secret') =>
      sealing(under).seal(text, { destination: id, field });
    const older = { secret: seal('older', 'secret'), until: plus(NOON, DAY) };
    const secrets = { current: seal('current', 'secret'), older };
    const target = {
      kind: 'webhook',
      url: seal('https://a.example', 'url'),
      shownUrl: 'a',
      secrets,
    } as const;
    return aDestination({ id, target });
  };
  /** Destinations in a list, and how many were written. */
  const stored = (...all: Destination[]) => {
    let written = 0;
    const destinations: Pick<Destinations, 'list' | 'change'> = {
      list: async () =>
        all.map((destination) => ({ destination, version: 1, progress: expect.fail as never })),
      change: async (account, decide) => {
        const decided = decide(all.filter((one) => one.account === account));
        if (isRefusal(decided)) return decided;
        const { id, next } = decided;
        written += 1;
        all.splice(
          all.findIndex((one) => one.id === id),
          1,
          next ?? expect.fail(),
        );
        return next;
      },
    };
    return { destinations, all, written: () => written };
  };
  const textsOf = ({ id, target }: Destination, ...keys: readonly string[]) => {
    const texts: string[] = [];
    withSealedTexts(target, (text, field) => {
      const opened = sealing(...keys).open(text, { destination: id, field });
      texts.push(opened.opened ? opened.text : opened.why);
      return text;
    });
    return texts;
  };

  it('leaves every text readable with the new key alone, and changes nothing else', async () => {
    const before = webhook(former);
    const { destinations, all } = stored(before);
    const run = sealDestinationsAnew({ destinations, sealing: sealing(fresh, former) });
    expect(await run()).to.deep.equal({ sealed: 1, left: 0 });
    const [after = expect.fail()] = all;
    expect(textsOf(after, fresh)).to.deep.equal(['current', 'older', 'https://a.example']);
    expect({ ...after, target: null }).to.deep.equal({ ...before, target: null });
  });

  it('writes no destination that is sealed with the new key, or has nothing sealed', async () => {
    const mail = aDestination({
      target: { kind: 'email', address: 'a@example.org' as never, confirmedAt: null },
    });
    const { destinations, written } = stored(webhook(fresh), mail);
    const run = sealDestinationsAnew({ destinations, sealing: sealing(fresh, former) });
    expect(await run()).to.deep.equal({ sealed: 0, left: 0 });
    expect(written()).to.equal(0);
  });

  it('counts those that no key opens, and leaves them as they are', async () => {
    const unreadable = webhook(lost);
    const { destinations, all } = stored(unreadable, webhook(former));
    const run = sealDestinationsAnew({ destinations, sealing: sealing(fresh, former) });
    expect(await run()).to.deep.equal({ sealed: 1, left: 1 });
    expect(all[0]).to.deep.equal(unreadable);
  });

  it('seals what it can read of a webhook whose older secret has a lost key', async () => {
    const [partly, whole] = [webhook(former), webhook(lost)];
    if (partly.target.kind !== 'webhook' || whole.target.kind !== 'webhook') return expect.fail();
    const { older } = whole.target.secrets;
    const target = { ...partly.target, secrets: { ...partly.target.secrets, older } };
    const { destinations, all } = stored({ ...partly, target });
    const run = sealDestinationsAnew({ destinations, sealing: sealing(fresh, former) });
    expect(await run()).to.deep.equal({ sealed: 0, left: 1 });
    expect(textsOf(all[0] ?? expect.fail(), fresh)).to.deep.equal([
      'current',
      'unknown_key',
      'https://a.example',
    ]);
  });

  it('counts what an instance with the former setting stores meanwhile', async () => {
    const { destinations, all } = stored(webhook(former));
    const change: Destinations['change'] = (...change) => {
      all.push(webhook(former));
      return destinations.change(...change);
    };
    const run = sealDestinationsAnew({
      destinations: { ...destinations, change },
      sealing: sealing(fresh, former),
    });
    expect(await run()).to.deep.equal({ sealed: 1, left: 1 });
  });
});
