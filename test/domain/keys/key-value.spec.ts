import { expect } from 'chai';
import fc from 'fast-check';
import { keyFormat, publicSandboxKey, sandboxKeyFormat } from '../../../src/domain/keys/key-value.js';
import { runs } from '../../support/objects/builders.js';

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const LAST = 'AEIMQUYcgkosw048';

const suffixes = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => Buffer.from(bytes).toString('base64url'));
const prefixes = fc.constantFrom('svc_', 'odds-live_', 'k', 'a.b+c_', '$&_');

const svc = keyFormat('svc_');
const good = `svc_${'a'.repeat(42)}A`;

describe('The value of a key (contract section 5.2)', () => {
  it('is recognised for any 32 random bytes as base64url, with any prefix (D17)', () => {
    fc.assert(
      fc.property(suffixes, prefixes, (suffix, prefix) => {
        const format = keyFormat(prefix);
        const value = format.compose(suffix);
        expect(value).to.equal(prefix + suffix);
        expect(suffix).to.have.length(43);
        expect(format.recognise(value)).to.equal(value);
        expect(format.startsLikeKey(value)).to.equal(true);
      }),
      runs(300),
    );
  });

  it('ends in one of the 16 characters that are possible for 32 bytes, and in no other (D17)', () => {
    const recognised = [...BASE64URL].filter((last) => svc.recognise(`svc_${'a'.repeat(42)}${last}`));
    expect(recognised.join('')).to.equal([...BASE64URL].filter((last) => LAST.includes(last)).join(''));
  });

  it('may contain any of the 64 characters before the last (D17)', () => {
    for (const character of BASE64URL) {
      const text = `svc_${'a'.repeat(41)}${character}A`;
      expect(svc.recognise(text), character).to.equal(text);
    }
  });

  const impossible: readonly (readonly [text: string, why: string])[] = [
    ['', 'an empty text'],
    ['svc_', 'only the prefix'],
    [good.slice(4), 'no prefix'],
    [good.toUpperCase(), 'a prefix in capitals'],
    [`svc-${good.slice(4)}`, 'another prefix'],
    [`${good.slice(0, -2)}A`, 'a character missing'],
    [`svc_a${good.slice(4)}`, 'a character added'],
    [`${good}=`, 'padding'],
    [`svc_${'a'.repeat(41)}+A`, 'a character of plain base64'],
    [`svc_${'a'.repeat(41)}/A`, 'another character of plain base64'],
    [`svc_${'a'.repeat(41)}éA`, 'a character outside ASCII'],
    [`svc_${'a'.repeat(41)}%A`, 'a percent sign'],
    [` ${good}`, 'a blank before it'],
    [`${good} `, 'a blank after it'],
    [`${good}\n`, 'a newline after it'],
    [`${good}\u0000`, 'a NUL after it'],
    [`${good},${good}`, 'two keys'],
  ];
  for (const [text, why] of impossible) {
    it(`is refused without a look-up: ${why} (D17)`, () => {
      expect(svc.recognise(text)).to.equal(undefined);
    });
  }

  it('is recognised repeatedly: no call depends on the one before (D17)', () => {
    for (let i = 0; i < 3; i += 1) expect(svc.recognise(good)).to.equal(good);
  });

  it('is matched literally against special characters of a prefix (D1)', () => {
    const format = keyFormat('a.b+c_');
    expect(format.recognise(`a.b+c_${good.slice(4)}`)).to.equal(`a.b+c_${good.slice(4)}`);
    expect(format.recognise(`axb+c_${good.slice(4)}`)).to.equal(undefined);
    expect(format.recognise(`a.bbc_${good.slice(4)}`)).to.equal(undefined);
  });

  it('is detected by its prefix alone, whatever follows (contract section 5.1, D16)', () => {
    expect(svc.startsLikeKey('svc_nonsense')).to.equal(true);
    expect(svc.startsLikeKey('svc')).to.equal(false);
    expect(svc.startsLikeKey('SVC_nonsense')).to.equal(false);
    expect(svc.startsLikeKey(' svc_nonsense')).to.equal(false);
  });
});

describe('The shown text of a key', () => {
  it('is its first 12 characters (D42)', () => {
    expect(svc.shown(svc.compose(`ABCDEFGHI${good.slice(13)}`))).to.equal('svc_ABCDEFGH');
  });

  it('marks the position of a key that was removed from a text (D19)', () => {
    expect(svc.redact(`GET /pm/v2/news?api_key=${good}&limit=5`)).to.equal(
      'GET /pm/v2/news?api_key=svc_[redacted]&limit=5',
    );
    expect(svc.redact(`${good} and ${good}`)).to.equal('svc_[redacted] and svc_[redacted]');
  });

  it('redacts a key with a missing or an added character (D19)', () => {
    expect(svc.redact(`key ${good.slice(0, -1)} and ${good}b.`)).to.equal(
      'key svc_[redacted] and svc_[redacted].',
    );
  });

  it('does not change a text without keys, shown prefixes included (D19)', () => {
    for (const text of ['', 'nothing here', 'svc_', 'svc_ABCDEFGH', 'the prefix is svc_', 'Svc_service']) {
      expect(svc.redact(text)).to.equal(text);
    }
  });

  it('never contains a key or its suffix, whatever surrounds it (D19)', () => {
    const around = fc.array(
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 8 }),
        fc.constantFrom('svc_', 'svc', '_', '-', '&api_key=', '"', '\n', 'Bearer ', '$&', 'a'.repeat(20)),
        suffixes,
        suffixes.map((suffix) => `svc_${suffix}`),
      ),
      { maxLength: 5 },
    );
    fc.assert(
      fc.property(suffixes, around, around, (suffix, before, behind) => {
        const text = svc.redact(`${before.join('')}svc_${suffix}${behind.join('')}`);
        expect(text).to.not.include(suffix);
        expect(text).to.not.match(/svc_[A-Za-z0-9_-]{43}/);
      }),
      runs(150),
    );
  });

  it('never contains a key whose prefix has characters of a replacement pattern (D1, D19)', () => {
    const suffix = good.slice(4);
    expect(keyFormat('$&_').redact(`key $&_${suffix}`)).to.equal('key $&_[redacted]');
  });
});

describe('The value of a sandbox key (D77)', () => {
  it('is the prefix, `test_` and a suffix, of which 17 characters are shown', () => {
    fc.assert(
      fc.property(suffixes, prefixes, (suffix, prefix) => {
        const format = sandboxKeyFormat(prefix);
        const value = format.compose(suffix);
        expect(value).to.equal(`${prefix}test_${suffix}`);
        expect(format.recognise(value)).to.equal(value);
        expect(format.shown(value)).to.equal(value.slice(0, 17));
      }),
      runs(100),
    );
  });

  it('is no value of another key, and no other key is one of the sandbox', () => {
    const sandbox = sandboxKeyFormat('svc_');
    fc.assert(
      fc.property(suffixes, (suffix) => {
        expect(svc.recognise(sandbox.compose(suffix))).to.equal(undefined);
        expect(sandbox.recognise(svc.compose(suffix))).to.equal(undefined);
        expect(sandbox.recognise(svc.compose(`test_${suffix.slice(5)}`))).to.equal(undefined);
      }),
      runs(100),
    );
  });

  it('is redacted as any other key, also the public one (D138)', () => {
    const sandbox = sandboxKeyFormat('svc_');
    const value = publicSandboxKey(sandbox);
    expect(sandbox.recognise(value)).to.equal(value);
    for (const format of [svc, sandbox]) expect(format.redact(`key ${value}`)).to.equal('key svc_[redacted]');
  });
});
