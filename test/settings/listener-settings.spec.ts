import { expect } from 'chai';
import { readConfig } from '../../src/settings/config.js';
import type { Environment } from '../../src/settings/environment.js';

const faults = (environment: Environment): readonly string[] => {
  const config = readConfig(environment);
  return 'faults' in config ? config.faults : [];
};

const HOW = 'make one with: openssl rand -base64 24';
const LONG = 'a-token-of-20-letters';

describe('The tokens among the settings', () => {
  // biome-ignore format: a table is read by its columns
  const refused: readonly (readonly [tokens: Environment, ...faults: string[]])[] = [
    [{ OPERATOR_TOKEN: 'nineteen-characters' },        `OPERATOR_TOKEN must have at least 20 characters; ${HOW}`],
    [{ PUBLISHER_TOKEN: 'p' },                         `PUBLISHER_TOKEN must have at least 20 characters; ${HOW}`],
    [{ OPERATOR_TOKEN: LONG, PUBLISHER_TOKEN: LONG },  `OPERATOR_TOKEN and PUBLISHER_TOKEN must differ; ${HOW}`],
    [{ OPERATOR_TOKEN: 'o', PUBLISHER_TOKEN: 'a b' },  'PUBLISHER_TOKEN must be printable ASCII without spaces',
                                                       `OPERATOR_TOKEN must have at least 20 characters; ${HOW}`],
  ];
  for (const [tokens, ...expected] of refused) {
    it(`are refused where they are ${JSON.stringify(tokens)}, and it is said how to make one`, () => {
      expect(faults(tokens)).to.deep.equal(expected);
    });
  }
});

describe('The names of the internal listener', () => {
  for (const value of ['a b', 'oddswire:8081', 'https://a', 'a,,b', '*.a', '-']) {
    it(`are refused where they are “${value}”`, () => {
      expect(faults({ INTERNAL_HOSTS: value })).to.deep.equal([
        'INTERNAL_HOSTS must be names without a port, separated by commas, like oddswire,door.example.com',
      ]);
    });
  }
});

describe('Both listeners on one port', () => {
  // biome-ignore format: a table is read by its columns
  const hosts: readonly (readonly [host: string, internalHost: string, collide: boolean])[] = [
    ['',            '',            true],
    ['127.0.0.1',   '127.0.0.1',   true],
    ['127.0.0.1',   '0.0.0.0',     true],
    ['0.0.0.0',     'localhost',   true],
    ['127.0.0.1',   'localhost',   true],
    ['::',          '127.0.0.1',   true],
    ['::1',         '::',          true],
    ['10.0.0.1',    '127.0.0.1',   false],
    ['0.0.0.0',     '::1',         false],
    ['10.0.0.1',    'door.example', false],
  ];
  for (const [HOST, INTERNAL_HOST, collide] of hosts) {
    it(`are ${collide ? 'refused' : 'taken'} on the hosts “${HOST}” and “${INTERNAL_HOST}”`, () => {
      const found = faults({ HOST, INTERNAL_HOST, PORT: '9000', INTERNAL_PORT: '9000' });
      expect(found).to.have.length(collide ? 1 : 0);
      if (collide) expect(found[0]).to.match(/^PORT and INTERNAL_PORT are both 9000 on /);
    });
  }

  it('are taken where it is port 0: each gets a free one', () => {
    expect(faults({ PORT: '0', INTERNAL_PORT: '0' })).to.deep.equal([]);
  });

  it('are told beside the other faults', () => {
    expect(faults({ PORT: '8081', LOG_LEVEL: 'loud', OPERATOR_TOKEN: 'o' })).to.have.length(3);
  });
});
