import { expect } from 'chai';
import { allowedAddresses, isLoopbackAddress } from '../../../src/adapters/outgoing/allowed-addresses.js';

const isPublic = allowedAddresses([]);

describe('The addresses to which requests may be sent (D70)', () => {
  // biome-ignore format: a table is read by its columns
  const PUBLIC = ['1.1.1.1', '8.8.8.8', '100.63.255.255', '100.128.0.0', '172.15.0.1', '172.32.0.1', '192.167.0.1', '223.255.255.255', '2606:4700:4700::1111', '2a00:1450:4001::1', '::ffff:8.8.8.8'];
  for (const address of PUBLIC)
    it(`include ${address}`, () => {
      expect(isPublic(address)).to.equal(true);
    });

  // biome-ignore format: a table is read by its columns
  const FORBIDDEN: Readonly<Record<string, readonly string[]>> = {
    'this network':               ['0.0.0.0', '0.1.2.3'],
    'private networks':           ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.255.255'],
    'loopback':                   ['127.0.0.1', '127.255.255.254', '::1'],
    'link-local, with metadata':  ['169.254.169.254', '169.254.0.1', 'fe80::1', 'fe80::1%eth0', 'fe90::1'],
    'carrier-grade NAT':          ['100.64.0.1', '100.127.255.255', '100.100.100.200'],
    'multicast and broadcast':    ['224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1', 'ff0e::1'],
    'reserved':                   ['240.0.0.1', '254.0.0.1', '192.0.0.1', '192.88.99.1'],
    'documentation':              ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
    'benchmarks':                 ['198.18.0.1', '198.19.255.255', '2001:2::1'],
    'unspecified':                ['::'],
    'unique local':               ['fc00::1', 'fd00:ec2::254', 'fd99::1'],
    'site-local':                 ['fec0::1'],
    'mapped IPv4':                ['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:a9fe:a9fe'],
    'compatible IPv4':            ['::127.0.0.1', '::10.0.0.1', '::8.8.8.8'],
    'translated IPv4':            ['::ffff:0:127.0.0.1'],
    'NAT64':                      ['64:ff9b::127.0.0.1', '64:ff9b::8.8.8.8', '64:ff9b:1::10.0.0.1'],
    '6to4':                       ['2002:7f00:1::1', '2002:808:808::1'],
    'Teredo':                     ['2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    'discard and unassigned':     ['100::1', '4000::1', '8000::1', 'e000::1', '5f00::1'],
    'ORCHID and AMT':             ['2001:10::1', '2001:20::1', '2001:3::1', '192.52.193.1'],
    'no address':                 ['', 'localhost', '1.2.3', '1.2.3.4.5', '::g'],
  };
  for (const [kind, addresses] of Object.entries(FORBIDDEN))
    it(`do not include ${kind}: ${addresses.join(', ')}`, () => {
      expect(addresses.filter(isPublic)).to.deep.equal([]);
    });

  it('include the networks that the operator allows, and only these', () => {
    const isAllowed = allowedAddresses(['10.1.0.0/16', '192.168.7.7/32', 'fd00:1::/32']);
    const allowed = [
      '10.1.0.0',
      '10.1.255.255',
      '::ffff:10.1.2.3',
      '192.168.7.7',
      'fd00:1:ffff::1',
      '8.8.8.8',
    ];
    expect(allowed.filter((address) => !isAllowed(address))).to.deep.equal([]);
    const others = ['10.0.255.255', '10.2.0.0', '192.168.7.8', 'fd00:2::1', '127.0.0.1', '::10.1.0.1'];
    expect(others.filter(isAllowed)).to.deep.equal([]);
  });
});

describe('A loopback address', () => {
  it('is one of 127.0.0.0/8, or ::1, in any form', () => {
    expect(
      ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'].filter((each) => !isLoopbackAddress(each)),
    ).to.deep.equal([]);
    expect(
      ['128.0.0.1', '::', '::127.0.0.1', '0.0.0.0', 'localhost'].filter(isLoopbackAddress),
    ).to.deep.equal([]);
  });
});
