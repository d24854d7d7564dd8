import { expect } from 'chai';
import fc from 'fast-check';
import { mailboxOf, readEmailAddress } from '../../../src/domain/accounts/email-address.js';
import { runs } from '../../support/objects/builders.js';

const isAscii = (text: string): boolean => [...text].every((character) => character < '\u0080');

describe('An email address (D42)', () => {
  const accepted: readonly (readonly [text: string, address: string, why: string])[] = [
    ['ada@example.org', 'ada@example.org', 'be a plain one'],
    ['Ada@Example.ORG', 'ada@example.org', 'be in any letter case, and becomes lower case'],
    ['  ada@example.org\r\n', 'ada@example.org', 'have blanks and line ends around it, which are dropped'],
    ['ada+news.2026@example.org', 'ada+news.2026@example.org', 'have a tag'],
    [
      "o'neil_{a}=%!#$&*/?^`|~@example.org",
      "o'neil_{a}=%!#$&*/?^`|~@example.org",
      'have every sign of a name',
    ],
    ['ada@localhost', 'ada@localhost', 'have a host of one label'],
    ['a@b', 'a@b', 'be the shortest'],
    ['ada@mail-1.eu.example.org', 'ada@mail-1.eu.example.org', 'have a host of many labels, with hyphens'],
    ['ada@192.0.2.1', 'ada@192.0.2.1', 'have a host of digits'],
    ['Zoë@Müller.example', 'zoë@müller.example', 'have letters of any script'],
    ['ada@हिन्दी.example', 'ada@हिन्दी.example', 'have a host with combining marks'],
    [`${'a'.repeat(242)}@example.org`, `${'a'.repeat(242)}@example.org`, 'have 254 characters'],
  ];
  for (const [text, address, why] of accepted) {
    it(`may ${why} (D42)`, () => {
      expect(readEmailAddress(text)).to.equal(address);
    });
  }

  const refused: readonly (readonly [text: string, why: string])[] = [
    ['', 'be empty'],
    ['   ', 'be only blanks'],
    ['ada', 'be only a name'],
    ['@example.org', 'be only a host'],
    ['ada@', 'be without a host'],
    ['ada@@example.org', 'have two @ in a row'],
    ['ada@example.org@evil.example', 'have two hosts'],
    ['ada@example.org, eve@evil.example', 'be two addresses'],
    ['ada@example.org;eve@evil.example', 'be two addresses, separated by a semicolon'],
    ['Ada <ada@example.org>', 'have a name beside the address'],
    ['"ada x"@example.org', 'have a quoted name'],
    ['ada(at home)@example.org', 'have a comment'],
    ['friends:ada@example.org', 'be a group'],
    ['ada lovelace@example.org', 'have a blank within'],
    ['ada@example.org\r\nBcc: eve@evil.example', 'have a line end within'],
    ['ada\u0000@example.org', 'have a NUL'],
    ['ada\u007f@example.org', 'have DEL'],
    ['ada\u200b@example.org', 'have a zero-width space'],
    ['ada\u202e@example.org', 'have a change of the text direction'],
    ['ada\ud83d@example.org', 'have a lone surrogate'],
    ['ada@.example.org', 'have a host that begins with a dot'],
    ['ada@example.org.', 'have a host that ends with a dot'],
    ['ada@example..org', 'have an empty label in the host'],
    ['ada@-example.org', 'have a host that begins with a hyphen'],
    ['ada@example-.org', 'have a label that ends with a hyphen'],
    ['ada@exa_mple.org', 'have a character that no host has'],
    [`${'a'.repeat(243)}@example.org`, 'have 255 characters'],
    ['İda@example.org', 'have a letter that is longer in lower case'],
    ['ada@exampſe.org', 'have a letter that is ASCII in upper case'],
    ['\u212aim@example.org', 'have the Kelvin sign, which is ASCII in lower case'],
    ['ada@\u212a.example', 'have the Kelvin sign in a host'],
    ['dıana@example.org', 'have a letter without its dot, which is ASCII in upper case'],
    ['straße@example.org', 'have a letter that becomes two in upper case'],
    ['STRAẞE@example.org', 'have a capital letter that becomes two in another form'],
    ['oﬃce@example.org', 'have a ligature'],
    ['\u00b5@example.org', 'have the micro sign, which is Greek in upper case'],
  ];
  for (const [text, why] of refused) {
    it(`may not ${why} (D42)`, () => {
      expect(readEmailAddress(text)).to.equal(undefined);
    });
  }

  it('stays the same when it is read again, in any letter case (D42)', () => {
    const piece = fc.string({ unit: 'binary', minLength: 1, maxLength: 30 });
    const nearly = fc.tuple(piece, piece).map((parts) => parts.join('@'));
    fc.assert(
      fc.property(fc.oneof(nearly, fc.emailAddress()), (text) => {
        const address = readEmailAddress(text);
        if (address === undefined) return;
        expect(address).to.equal(text.trim().toLowerCase());
        expect(address.length).to.be.at.most(254);
        expect(address.split('@')).to.have.length(2);
        expect(readEmailAddress(address)).to.equal(address);
        expect(readEmailAddress(` ${address}\n`)).to.equal(address);
      }),
      runs(2_000),
    );
  });

  it('does not become another address in any letter case (D42)', () => {
    const character = fc.integer({ min: 0x80, max: 0x1ffff }).map((code) => String.fromCodePoint(code));
    fc.assert(
      fc.property(fc.oneof(character, fc.constantFrom(...'İıſKßẞﬃµΣςσéÅǅ')), (character) => {
        const address = readEmailAddress(`a${character}b@example.org`);
        if (address === undefined) return;
        for (const form of [character.toLowerCase(), character.toUpperCase(), address.toUpperCase()]) {
          expect([...form].length, form).to.equal([...form.toLowerCase()].length);
        }
        expect(isAscii(character.toUpperCase())).to.equal(isAscii(character));
        expect(isAscii(character.toLowerCase())).to.equal(isAscii(character));
        expect([...address]).to.have.length([...`a${character}b@example.org`].length);
      }),
      runs(3_000),
    );
  });

  it('may have letters of any script that keep their identity in both letter cases (D42)', () => {
    const characters = 'éüøåñçłžőğşþðæœéçàγλώσσαςпочтаპოსტაאל日本語हिन्दीไทย';
    for (const character of characters.normalize('NFC')) {
      expect(readEmailAddress(`a${character}a@example.org`), character).to.equal(
        `a${character}a@example.org`,
      );
    }
    expect(readEmailAddress('ΓΛΏΣΣΑΣ@ПОЧТА.example')).to.equal('γλώσσας@почта.example');
  });

  it('may be any address of the plain form of the standard (D42)', () => {
    fc.assert(
      fc.property(fc.emailAddress({ size: 'small' }), (text) => {
        expect(readEmailAddress(text)).to.equal(text.toLowerCase());
      }),
      runs(500),
    );
  });

  it('is checked quickly, however adversarial it is', () => {
    for (const hard of ['a@'.padEnd(254, 'a-'), 'a@'.padEnd(254, 'a.'), `${'a'.repeat(1_000_000)}@`]) {
      expect(readEmailAddress(`${hard}!`)).to.equal(undefined);
    }
  });
});

describe('The mailbox behind an address', () => {
  it('is the same whatever follows a plus sign', () => {
    const boxes = ['ada@example.org', 'ada+1@example.org', 'ada+a+b@example.org'].map((text) =>
      mailboxOf(readEmailAddress(text) ?? expect.fail(text)),
    );
    expect(new Set(boxes)).to.deep.equal(new Set(['ada@example.org']));
  });
});
