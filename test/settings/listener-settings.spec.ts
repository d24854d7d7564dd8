import { expect } from 'chai';
import type { Environment } from '../../src/settings/environment.js';
import { settingFaults } from '../support/objects/settings.js';

const HOW = 'generate one with: openssl rand -hex 24';
const LONG = 'a-token-of-20-letters';

describe('The tokens in the settings', () => {
  // biome-ignore format: a table is read by its columns
  const refused: readonly (readonly [tokens: Environment, ...faults: string[]])[] = [
    [{ OPERATOR_TOKEN: 'nineteen-characters' },        `OPERATOR_TOKEN must have at least 20 characters; ${HOW}`],
    [{ PUBLISHER_TOKEN: 'p' },                         `PUBLISHER_TOKEN must have at least 20 characters; ${HOW}`],
    [{ OPERATOR_TOKEN: LONG, PUBLISHER_TOKEN: LONG },  `OPERATOR_TOKEN and PUBLISHER_TOKEN must differ; ${HOW}`],
    [{ OPERATOR_TOKEN: 'o', PUBLISHER_TOKEN: 'a b' },  'PUBLISHER_TOKEN must be printable ASCII without spaces',
                                                       `OPERATOR_TOKEN must have at least 20 characters; ${HOW}`],
  ];
  for (const [tokens, ...expected] of refused) {
    it(`are refused if they are ${JSON.stringify(tokens)}, and the fault tells how to generate one`, () => {
      expect(settingFaults(tokens)).to.deep.equal(expected);
    });
  }
});

describe('The host names of the internal listener', () => {
  for (const value of ['a b', 'oddswire:8081', 'https://a', 'a,,b', '*.a', '-']) {
    it(`are refused if they are “${value}”`, () => {
      expect(settingFaults({ INTERNAL_HOSTS: value })).to.deep.equal([
        'INTERNAL_HOSTS must be host names without a port, separated by commas, like oddswire,internal.example.com',
      ]);
    });
  }
});

describe('Both listeners on one port', () => {
  // biome-ignore format: a table is read by its columns
  const hosts: readonly (readonly [host: string, internalHost: string, conflict: boolean])[] = [
    ['',            '',            true],
    ['127.0.0.1',   '127.0.0.1',   true],
    ['127.0.0.1',   '0.0.0.0',     true],
    ['0.0.0.0',     'localhost',   true],
    ['127.0.0.1',   'localhost',   true],
    ['::',          '127.0.0.1',   true],
    ['::1',         '::',          true],
    ['10.0.0.1',    '127.0.0.1',   false],
    ['0.0.0.0',     '::1',         false],
    ['10.0.0.1',    'internal.example', false],
  ];
  for (const [HOST, INTERNAL_HOST, conflict] of hosts) {
    it(`are ${conflict ? 'refused' : 'accepted'} on the hosts “${HOST}” and “${INTERNAL_HOST}”`, () => {
      const found = settingFaults({ HOST, INTERNAL_HOST, PORT: '9000', INTERNAL_PORT: '9000' });
      expect(found).to.have.length(conflict ? 1 : 0);
      if (conflict) expect(found[0]).to.match(/^PORT and INTERNAL_PORT are both 9000 on /);
    });
  }

  it('are accepted if it is port 0, because each gets a free port', () => {
    expect(settingFaults({ PORT: '0', INTERNAL_PORT: '0' })).to.deep.equal([]);
  });

  it('are reported together with the other faults', () => {
    expect(settingFaults({ PORT: '8081', LOG_LEVEL: 'loud', OPERATOR_TOKEN: 'o' })).to.have.length(3);
  });
});
