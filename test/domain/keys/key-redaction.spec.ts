import { expect } from 'chai';
import fc from 'fast-check';
import { keyFormat } from '../../../src/domain/keys/key-value.js';
import { runs } from '../../support/objects/builders.js';

/** The number of characters that `redact` searches; the rest is dropped. */
const SEARCHED = 2_048;
/** The most consecutive characters of a key that may be readable in a redacted text. */
const READABLE_MAX = 15;

const PREFIXES = ['svc_', 'odds_', 'k_', 'ab_', '0_'];
const suffixes = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => Buffer.from(bytes).toString('base64url'));

const hexOf = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0');

/** A character, percent-encoded `depth` times: only the percent signs, or also the hex digits. */
function encoded(character: string, depth: number, isWhole: boolean): string {
  if (depth === 0) return character;
  const once = `%${hexOf(character)}`;
  return isWhole
    ? [...once].map((piece) => encoded(piece, depth - 1, true)).join('')
    : `%${'25'.repeat(depth - 1)}${hexOf(character)}`;
}

/** A key whose characters are each encoded to a random depth. */
const hidden = fc
  .record({
    prefix: fc.constantFrom(...PREFIXES),
    suffix: suffixes,
    isUpperCase: fc.boolean(),
    depths: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 50 }),
    isWhole: fc.boolean(),
  })
  .map(({ prefix, suffix, isUpperCase, depths, isWhole }) => {
    const key = `${isUpperCase ? prefix.toUpperCase() : prefix}${suffix}`;
    const characters = [...key].map((character, i) =>
      encoded(character, depths[i % depths.length] ?? 0, isWhole),
    );
    return { prefix, suffix, text: characters.join('') };
  });

const around = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom(
        '%',
        '%2',
        '%25',
        '%252',
        '%7',
        '%6',
        '25',
        '-',
        '_',
        'svc_',
        'SVC_',
        '%73vc_',
        'a'.repeat(20),
      ),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''));

/** The text at every level of decoding, starting with itself. */
function levels(text: string): readonly string[] {
  const once = text.replace(/%[0-7][0-9a-f]/gi, (octet) => decodeURIComponent(octet));
  return once === text ? [text] : [text, ...levels(once)];
}

/** The longest substring of `secret` that occurs in one of the texts. */
function readable(secret: string, texts: readonly string[]): string {
  for (let length = secret.length; length > 0; length -= 1) {
    for (let from = 0; from + length <= secret.length; from += 1) {
      const piece = secret.slice(from, from + length);
      if (texts.some((text) => text.includes(piece))) return piece;
    }
  }
  return '';
}

const svc = keyFormat('svc_');
const good = `svc_${'aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789-_abcd'}A`;

describe('A redacted text (D19, T19)', () => {
  it('never contains 16 characters of a key, at any level of decoding and of encoding', () => {
    fc.assert(
      fc.property(hidden, around, around, ({ prefix, suffix, text }, before, behind) => {
        const written = levels(keyFormat(prefix).redact(`${before}${text}${behind}`));
        expect(readable(suffix, written).length).to.be.at.most(READABLE_MAX);
      }),
      runs(500),
    );
  });

  it('never contains 16 characters of a key that is cut off at its end, wherever the key begins', () => {
    const filling = fc.constantFrom('x', ' ', '-', '%', '%2', 'é', '🚀');
    const beginning = fc.integer({ min: -400, max: 60 });
    fc.assert(
      fc.property(hidden, filling, beginning, around, ({ prefix, suffix, text }, unit, at, behind) => {
        const before = unit.repeat(SEARCHED).slice(0, SEARCHED + at);
        const format = keyFormat(prefix);
        const written = levels(format.redact(`${before}${text}${behind}${'.'.repeat(2_500)}`));
        expect(written[0]).to.match(/…$/);
        expect(readable(suffix, written).length).to.be.at.most(READABLE_MAX);
      }),
      runs(500),
    );
  });

  it('shows only the prefix of a key that is cut off at its end', () => {
    for (let kept = 0; kept <= good.length; kept += 1) {
      const before = 'x'.repeat(SEARCHED - kept - 1);
      const written = svc.redact(`${before} ${good} and more`);
      const shown = kept < 'svc_'.length ? good.slice(0, kept) : 'svc_[redacted]';
      expect(written, `${kept} characters kept`).to.equal(`${before} ${shown}…`);
    }
  });

  it('shows only the prefix of an encoded key that is cut off at its end, wherever an escape is cut', () => {
    const escaped = [...good].map((character) => encoded(character, 2, false)).join('');
    const prefixLength = [...'svc_'].map((character) => encoded(character, 2, false)).join('').length;
    for (let kept = prefixLength; kept <= escaped.length; kept += 1) {
      const before = 'x'.repeat(SEARCHED - kept - 1);
      expect(svc.redact(`${before} ${escaped} and more`), `${kept} characters kept`).to.equal(
        `${before} svc_[redacted]…`,
      );
    }
  });

  it('is unchanged without a key, encodings included', () => {
    const keyless = around.filter((text) => !levels(text).some((level) => /svc_[\w-]{16}/i.test(level)));
    fc.assert(
      fc.property(keyless, (text) => {
        expect(svc.redact(text)).to.equal(text);
      }),
      runs(500),
    );
  });

  it('keeps everything around a key unchanged', () => {
    const escaped = [...good].map((character) => encoded(character, 1, false)).join('');
    expect(svc.redact(`100%25 of ${escaped}, %2525 more`)).to.equal('100%25 of svc_[redacted], %2525 more');
  });

  it('contains no key in any letter case of the prefix', () => {
    for (const prefix of ['SVC_', 'Svc_', 'sVc_', '%53VC_']) {
      expect(svc.redact(`key ${prefix}${good.slice(4)}.`)).to.equal('key svc_[redacted].');
      expect(svc.containsKey(`key ${prefix}${good.slice(4)}.`)).to.equal(true);
    }
  });

  it('contains no key if an escape inside the key looks like the prefix of another', () => {
    const suffix = `${'A'.repeat(15)}p_${'A'.repeat(26)}`;
    const escaped = [...`0_${suffix}`].map((character) => encoded(character, 1, false)).join('');
    expect(readable(suffix, levels(keyFormat('0_').redact(escaped)))).to.equal('_');
  });

  it('ends after 2 048 characters of a longer text, with a mark', () => {
    expect(svc.redact('a'.repeat(SEARCHED))).to.equal('a'.repeat(SEARCHED));
    expect(svc.redact('a'.repeat(SEARCHED + 1))).to.equal(`${'a'.repeat(SEARCHED)}…`);
    expect(svc.redact(`${'a'.repeat(SEARCHED)}${good}`)).to.equal(`${'a'.repeat(SEARCHED)}…`);
    expect(svc.redact(`${'a'.repeat(SEARCHED - 1)}🚀`)).to.equal(`${'a'.repeat(SEARCHED - 1)}…`);
  });

  it('contains no key if one key is inside another, or many are in a row', () => {
    const inner = `svc_${'a'.repeat(10)}svc_${'b'.repeat(29)}`;
    expect(svc.redact(inner)).to.equal('svc_[redacted]');
    expect(svc.redact(`${good}${good} ${good}`)).to.equal('svc_[redacted] svc_[redacted]');
  });
});
