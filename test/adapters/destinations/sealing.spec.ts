import { expect } from 'chai';
import fc from 'fast-check';
import { sealingOf } from '../../../src/adapters/destinations/sealing.js';
import type { Sealing } from '../../../src/application/ports/destinations/sealing.js';
import type { Sealed } from '../../../src/domain/destinations/destination.js';
import { runs } from '../../support/objects/builders.js';

const KEYS = ['a', 'b', 'c'].map((name) => Buffer.alloc(32, name));
const [first = '', second = '', third = ''] = KEYS.map((key) => key.toString('base64'));
const FIELD = { destination: 'dst_1', field: 'url' };
const URL = 'https://hooks.slack.com/services/T0/B0/f3Qz';
const DAMAGED = { opened: false, why: 'damaged' };

const sealingWith = (...keys: readonly string[]): Sealing => {
  const sealing = sealingOf(keys, { isStored: true });
  if (sealing === null) throw new Error('no sealing');
  return sealing;
};

describe('A sealed text', () => {
  const sealing = sealingWith(first);
  const sealed = sealing.seal(URL, FIELD);

  it('is opened as it was, whatever it contains', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(sealing.open(sealing.seal(text, FIELD), FIELD)).to.deep.equal({ opened: true, text });
      }),
      runs(100),
    );
  });

  it('shows a version and the fingerprint of its key, and neither the text nor the key', () => {
    expect(sealed).to.match(/^v1\.[\da-f]{16}\.[\w-]+$/);
    expect(Buffer.from(sealed.split('.')[2] ?? '', 'base64url').toString('latin1')).not.to.include('slack');
    expect(sealed).not.to.include(KEYS[0]?.toString('hex').slice(0, 16));
  });

  it('is another one each time', () => {
    const texts = Array.from({ length: 50 }, () => sealing.seal(URL, FIELD));
    expect(new Set(texts).size).to.equal(50);
  });

  it('is not opened as another field or as that of another destination', () => {
    expect(sealing.open(sealed, { ...FIELD, field: 'secret' })).to.deep.equal(DAMAGED);
    expect(sealing.open(sealed, { ...FIELD, destination: 'dst_2' })).to.deep.equal(DAMAGED);
    expect(sealing.open(sealed, { destination: 'dst_1url', field: '' })).to.deep.equal(DAMAGED);
  });

  it('is not opened after any of its bytes was changed', () => {
    const [version, fingerprint, encrypted = ''] = sealed.split('.');
    const bytes = Buffer.from(encrypted, 'base64url');
    for (let i = 0; i < bytes.length; i += 1) {
      const changed = Buffer.from(bytes);
      changed[i] = (changed[i] ?? 0) ^ 1;
      const text = `${version}.${fingerprint}.${changed.toString('base64url')}` as Sealed;
      expect(sealing.open(text, FIELD), `byte ${i}`).to.deep.equal(DAMAGED);
    }
  });

  it('is not opened if it is cut at any byte', () => {
    const ends = Array.from({ length: sealed.length }, (_, length) => sealed.slice(0, length) as Sealed);
    expect(ends.filter((text) => sealing.open(text, FIELD).opened)).to.deep.equal([]);
  });

  it('is opened with the key in hexadecimal digits and in base64 without padding, too', () => {
    const forms = [KEYS[0]?.toString('hex') ?? '', first.replace('=', '')];
    for (const form of forms)
      expect(sealingWith(form).open(sealed, FIELD)).to.deep.equal({ opened: true, text: URL });
  });

  it('is opened with the former key while it is replaced, and is then sealed again with the first one', () => {
    const both = sealingWith(second, first);
    expect(both.open(sealed, FIELD)).to.deep.equal({ opened: true, text: URL });
    expect([both.isCurrent(sealed), sealing.isCurrent(sealed)]).to.deep.equal([false, true]);
    const again = both.seal(URL, FIELD);
    expect(both.isCurrent(again)).to.equal(true);
    expect(sealingWith(second).open(again, FIELD)).to.deep.equal({ opened: true, text: URL });
    expect(sealing.open(again, FIELD)).to.deep.equal({ opened: false, why: 'unknown_key' });
    expect(sealingWith(third).open(sealed, FIELD)).to.deep.equal({ opened: false, why: 'unknown_key' });
  });

  it('of a later version is not opened', () => {
    const later = sealed.replace('v1', 'v2') as Sealed;
    expect(sealing.open(later, FIELD)).to.deep.equal({ opened: false, why: 'unknown_key' });
  });
});

describe('Sealing without SECRETS_KEY', () => {
  it('is impossible for stored data', () => {
    expect(sealingOf([], { isStored: true })).to.equal(null);
  });

  it('uses a random key of the process for data in memory', () => {
    const [one, other] = [sealingOf([], { isStored: false }), sealingOf([], { isStored: false })];
    const sealed = one?.seal(URL, FIELD) ?? ('' as Sealed);
    expect(one?.open(sealed, FIELD)).to.deep.equal({ opened: true, text: URL });
    expect(other?.open(sealed, FIELD)).to.deep.equal({ opened: false, why: 'unknown_key' });
  });
});
