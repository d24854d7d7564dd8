import { expect } from 'chai';
import { secretsOf } from '../../src/doctor/settings-checks.js';
import { readDestinations } from '../../src/settings/destination-settings.js';
import { EnvironmentReader } from '../../src/settings/environment.js';
import { acceptedSettings, settingFaults } from '../support/objects/settings.js';

const read = (environment: Readonly<Record<string, string>>) => {
  const reader = new EnvironmentReader(environment);
  return { ...readDestinations(reader), faults: reader.faults };
};

const BASE64 = Buffer.alloc(32, 'k').toString('base64');
const HEX = Buffer.alloc(32, 0xab).toString('hex');

describe('SECRETS_KEY', () => {
  for (const key of [BASE64, BASE64.replace('=', ''), HEX, HEX.toUpperCase(), `${BASE64},${HEX}`])
    it(`can be ${key}`, () => {
      expect(read({ SECRETS_KEY: key })).to.deep.include({ secretsKeys: key.split(','), faults: [] });
    });

  // biome-ignore format: a table is read by its columns
  const BAD = [
    ['a short one',                Buffer.alloc(31, 'k').toString('base64')],
    ['a long one',                 Buffer.alloc(33, 'k').toString('base64')],
    ['hexadecimal of 31 bytes',    HEX.slice(2)],
    ['three keys',                 `${BASE64},${HEX},${BASE64}`],
    ['an empty second key',        `${BASE64},`],
    ['a blank between two keys',   `${BASE64}, ${HEX}`],
    ['other characters',           `${BASE64.slice(1)}ü`],
  ] as const;
  for (const [name, key] of BAD)
    it(`is refused without being shown: ${name}`, () => {
      const { secretsKeys, faults } = read({ SECRETS_KEY: key });
      expect(secretsKeys).to.deep.equal([]);
      expect(faults).to.have.length(1);
      expect(faults[0]).to.match(/^SECRETS_KEY must be 32 bytes .*: openssl rand -base64 32$/);
      expect(faults[0]).not.to.include(key.slice(0, 8));
    });

  it('stops the start if it is invalid', () => {
    expect(settingFaults({ SECRETS_KEY: 'secret' })).to.have.length(1);
  });

  it('is a secret for the doctor, both keys of it', () => {
    const config = acceptedSettings({ SECRETS_KEY: `${BASE64},${HEX}` });
    expect(secretsOf(config)).to.deep.equal([BASE64, HEX]);
  });
});

describe('DESTINATIONS_ALLOW', () => {
  it('has networks and addresses, and gives networks in their normal form', () => {
    expect(
      read({ DESTINATIONS_ALLOW: '10.1.0.0/16,192.0.2.7,FD00:1:0::/32,64:ff9b::/96,0.0.0.0/0' }),
    ).to.deep.include({
      networks: ['10.1.0.0/16', '192.0.2.7/32', 'fd00:1::/32', '64:ff9b::/96', '0.0.0.0/0'],
      faults: [],
    });
  });

  const bad = [
    ...[
      '10.1.2.3/16',
      '10.0.0.0/33',
      '10.0.0.0/',
      '10.0.0.0/8/8',
      '10.0.0.0/-1',
      '10.0.0.0/8,',
      '10.1',
      '010.0.0.0/8',
    ],
    ...[
      'fd00::1/32',
      'fd00::/129',
      'fe80::1%eth0',
      'fe80::%eth0/64',
      'example.com',
      '10.0.0.0/8, fd00::/8',
      '10.0.0.0-10.0.0.9',
      '*',
    ],
  ];
  for (const networks of bad)
    it(`is refused if it is ${networks}`, () => {
      expect(read({ DESTINATIONS_ALLOW: networks }).faults).to.deep.equal([
        'DESTINATIONS_ALLOW must be addresses or networks, separated by commas, like 10.1.0.0/16,fd00:1::/32; bits after the prefix must be 0',
      ]);
    });

  it('allows URLs of this machine only with a loopback network', () => {
    const allows = (networks: string) => read({ DESTINATIONS_ALLOW: networks }).allowsLoopback;
    expect(
      ['127.0.0.0/8', '127.0.0.1', '::1', '10.0.0.0/8,::1/128'].filter((text) => !allows(text)),
    ).to.deep.equal([]);
    expect(['', '10.0.0.0/8', '0.0.0.0/0', '::/0', 'fd00::/8'].filter(allows)).to.deep.equal([]);
  });
});

describe('DESTINATION_PORTS', () => {
  it('has port numbers', () => {
    expect(read({ DESTINATION_PORTS: '8444,65535,1' })).to.deep.include({
      ports: [8_444, 65_535, 1],
      faults: [],
    });
  });

  for (const ports of ['0', '65536', '8444,', 'https', '8444, 8445', '1-9', '080'])
    it(`is refused if it is ${JSON.stringify(ports)}`, () => {
      expect(read({ DESTINATION_PORTS: ports }).faults).to.deep.equal([
        'DESTINATION_PORTS must be port numbers, separated by commas, like 8444,9443',
      ]);
    });
});
