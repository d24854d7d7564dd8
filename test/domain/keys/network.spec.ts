import { BlockList, isIP } from 'node:net';
import { expect } from 'chai';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { isNetworkFault, isWithin, type Network, readNetwork } from '../../../src/domain/keys/network.js';
import { runs } from '../../support/objects/builders.js';

const networks = (...texts: readonly string[]): readonly Network[] =>
  texts.map((text) => {
    const read = readNetwork(text);
    if (isNetworkFault(read)) throw new Error(`${text}: ${read}`);
    return read;
  });

/** Every form of an address: with runs of zeros, in upper case, mapped, with an IPv4 piece. */
const addressText = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  fc.ipV4().map((ipv4) => `::ffff:${ipv4}`),
  fc.ipV6().map((ipv6) => ipv6.toUpperCase()),
  fc
    .array(fc.constantFrom('0', '0', '1', 'ffff'), { minLength: 8, maxLength: 8 })
    .map((groups) => groups.join(':')),
);

/** The address whose bits after the prefix are 0, by another implementation. */
const firstOf = (address: string, share: number): string => {
  const parsed = ipaddr.process(address);
  const bits = Math.max(1, Math.round(share * 8 * parsed.toByteArray().length));
  const family = parsed instanceof ipaddr.IPv4 ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${family.networkAddressFromCIDR(`${parsed.toString()}/${bits}`).toString()}/${bits}`;
};
const share = fc.double({ min: 0, max: 1, noNaN: true });

describe('An allowed network (D72)', () => {
  // biome-ignore format: a table is read by its columns
  const accepted: readonly (readonly [text: string, normal: string, what: string])[] = [
    ['203.0.113.7',               '203.0.113.7',        'an IPv4 address'],
    ['203.0.113.7/32',            '203.0.113.7',        'a network of one address'],
    ['203.0.113.0/24',            '203.0.113.0/24',     'an IPv4 network'],
    ['128.0.0.0/1',               '128.0.0.0/1',        'half of all IPv4 addresses'],
    ['2001:DB8:0:0:0:0:0:1',      '2001:db8::1',        'an IPv6 address in a long form'],
    ['2001:db8::/32',             '2001:db8::/32',      'an IPv6 network'],
    ['2001:db8:0:1:1:1:1:1',      '2001:db8:0:1:1:1:1:1', 'an address with a single zero group, which is not shortened'],
    ['0:0:1:0:0:0:1:1',           '0:0:1::1:1',         'an address whose longest run of zeros is shortened'],
    ['1:0:0:2:0:0:3:4',           '1::2:0:0:3:4',       'an address whose first run of two equal ones is shortened'],
    ['::1',                       '::1',                'the loopback address'],
    ['::',                        '::',                 'the unspecified address'],
    ['::ffff:203.0.113.7',        '203.0.113.7',        'a mapped IPv4 address'],
    ['::FFFF:cb00:7107',          '203.0.113.7',        'a mapped IPv4 address in hexadecimal digits'],
    ['::ffff:203.0.113.0/120',    '203.0.113.0/24',     'a mapped IPv4 network'],
    ['64:ff9b::203.0.113.7',      '64:ff9b::cb00:7107', 'an IPv6 address that ends in an IPv4 address'],
  ];
  for (const [text, normal, what] of accepted) {
    it(`is ${what}: ${text}`, () => {
      expect(readNetwork(text)).to.equal(normal);
      expect(readNetwork(normal)).to.equal(normal);
    });
  }

  // biome-ignore format: a table is read by its columns
  const refused: readonly (readonly [text: string, fault: string])[] = [
    ['',                      'malformed'],
    ['example.com',           'malformed'],
    ['203.0.113',             'malformed'],
    ['203.0.113.256',         'malformed'],
    ['203.0.113.07',          'malformed'],
    ['0xcb.0.113.7',          'malformed'],
    ['203.0.113.7.1',         'malformed'],
    ['203.0.113.0/33',        'malformed'],
    ['203.0.113.0/',          'malformed'],
    ['203.0.113.0/024',       'malformed'],
    ['203.0.113.0/-1',        'malformed'],
    ['203.0.113.0/24/24',     'malformed'],
    ['203.0.113.0/255.255.255.0', 'malformed'],
    ['203.0.113.0-9',         'malformed'],
    [' 203.0.113.7',          'malformed'],
    ['2001:db8::1::2',        'malformed'],
    ['2001:db8:1',            'malformed'],
    ['1:2:3:4:5:6:7:8:9',     'malformed'],
    ['1:2:3:4:5:6:7::8:9',    'malformed'],
    ['1:2:3:4::5:6:7:8',      'malformed'],
    ['2001:db8::12345',       'malformed'],
    ['2001:db8::g',           'malformed'],
    [':1:2:3:4:5:6:7',        'malformed'],
    ['1.2.3.4::',             'malformed'],
    ['fe80::1%eth0',          'malformed'],
    ['[::1]',                 'malformed'],
    ['2001:db8::/129',        'malformed'],
    ['203.0.113.7/24',        'bits_after_prefix'],
    ['2001:db8::1/32',        'bits_after_prefix'],
    ['::ffff:203.0.113.7/120', 'bits_after_prefix'],
    ['0.0.0.0/0',             'every_address'],
    ['203.0.113.7/0',         'every_address'],
    ['::/0',                  'every_address'],
    ['::ffff:0.0.0.0/96',     'every_address'],
    ['0'.repeat(100_000),     'malformed'],
    [':'.repeat(100_000),     'malformed'],
  ];
  for (const [text, fault] of refused) {
    it(`is not ${text.slice(0, 30) || 'an empty text'}: ${fault}`, () => {
      expect(readNetwork(text)).to.equal(fault);
    });
  }

  it('is an address exactly if Node reads it as one, zones excepted', () => {
    const nearly = fc.string({ unit: fc.constantFrom(...'0123456789abcf:./'), maxLength: 20 });
    fc.assert(
      fc.property(fc.oneof(addressText, nearly), (text) => {
        if (text.includes('/')) return;
        expect(isNetworkFault(readNetwork(text)), text).to.equal(isIP(text) === 0);
      }),
      runs(1_000),
    );
  });

  it('has the normal form of RFC 5952, as another implementation writes it', () => {
    fc.assert(
      fc.property(addressText, (text) => {
        // The library reads `::1.2.3.4` as `::ffff:1.2.3.4`.
        if (/^::[\d.]*\.\d+$/.test(text)) return;
        const normal = readNetwork(text);
        expect(ipaddr.process(normal).toNormalizedString()).to.equal(
          ipaddr.process(text).toNormalizedString(),
        );
        expect(readNetwork(normal)).to.equal(normal);
      }),
      runs(1_000),
    );
  });

  it('contains the same addresses as a block list of Node', () => {
    const some = fc.array(fc.tuple(addressText, share), { minLength: 1, maxLength: 5 });
    const isNear = fc.boolean();
    fc.assert(
      fc.property(some, addressText, isNear, (chosen, other, near) => {
        const texts = chosen.map(([address, piece]) => firstOf(address, piece));
        const address = ipaddr.process(near ? (chosen[0]?.[0] ?? other) : other).toString();
        const kind = ipaddr.parse(address).kind();
        const list = new BlockList();
        for (const text of texts) {
          const [first = '', bits = ''] = text.split('/');
          const family = ipaddr.parse(first).kind();
          // Node finds an IPv4 address in networks of IPv6 that have all mapped addresses.
          if (family === kind) list.addSubnet(first, Number(bits), family);
        }
        expect(isWithin(address, networks(...texts)), `${address} in ${texts}`).to.equal(
          list.check(address, kind),
        );
      }),
      runs(1_000),
    );
  });

  // biome-ignore format: a table is read by its columns
  const within: readonly (readonly [address: string, isIn: boolean, network: string])[] = [
    ['203.0.113.7',        true,  '203.0.113.7'],
    ['203.0.113.8',        false, '203.0.113.7'],
    ['203.0.113.255',      true,  '203.0.113.0/24'],
    ['203.0.114.0',        false, '203.0.113.0/24'],
    ['203.0.113.127',      true,  '203.0.113.0/25'],
    ['203.0.113.128',      false, '203.0.113.0/25'],
    ['::ffff:203.0.113.9', true,  '203.0.113.0/24'],
    ['203.0.113.9',        true,  '::ffff:203.0.113.0/120'],
    ['2001:db8:ffff::1',   true,  '2001:db8::/32'],
    ['2001:db9::1',        false, '2001:db8::/32'],
    ['203.0.113.9',        false, '::/1'],
    ['::ffff:1.2.3.4',     false, '::/80'],
    ['::cb00:7107',        false, '203.0.113.7'],
    ['unknown',            false, '203.0.113.7'],
    ['',                   false, '203.0.113.7'],
  ];
  for (const [address, isIn, network] of within) {
    it(`${isIn ? 'has' : 'does not have'} ${address || 'an empty text'}: ${network}`, () => {
      expect(isWithin(address, networks(network))).to.equal(isIn);
      expect(isWithin(address, networks('198.51.100.1', network, '2001:db8:1::/48'))).to.equal(isIn);
    });
  }

  it('is in no list without networks', () => {
    expect(isWithin('203.0.113.7', [])).to.equal(false);
  });
});
