import { expect } from 'chai';
import fc from 'fast-check';
import {
  DESTINATION_URL_LENGTH_MAX,
  type DestinationUrlRules,
  isAllowedLoopback,
  PORTS,
  readDestinationUrl,
  shownUrl,
  type UrlKind,
  urlFault,
} from '../../../src/domain/destinations/destination-url.js';
import { runs } from '../../support/objects/builders.js';

const STRICT: DestinationUrlRules = { ports: [], allowsLoopback: false };
const LOCAL: DestinationUrlRules = { ports: [], allowsLoopback: true };

/** The normal form, or the message of the refusal. */
const read = (text: string, kind: UrlKind = 'webhook', rules = STRICT): string => {
  const url = readDestinationUrl(text, kind, rules);
  return typeof url === 'string' ? url : url.faults.map(({ message }) => message).join();
};

const SCHEME = 'must start with https://';
const NO_URL = 'must be a URL like https://example.com/webhook';
const CREDENTIALS = 'must not have a user name or a password';
const PORT = 'must use one of the ports 443, 8443';
const DOT = 'must have a host without a dot at its end';

describe('The URL of a webhook', () => {
  // biome-ignore format: a table is read by its columns
  const ROWS: readonly (readonly [text: string, read: string])[] = [
    ['https://example.com/hook?a=b',          'https://example.com/hook?a=b'],
    ['  https://example.com/hook\n',          'https://example.com/hook'],
    ['https://example.com',                   'https://example.com/'],
    ['HTTPS://EXAMPLE.com:443/Hook',          'https://example.com/Hook'],
    ['https://example.com:8443/',             'https://example.com:8443/'],
    ['https://example.com/a#fragment',        'https://example.com/a'],
    ['https://ü.example/ü',              'https://xn--tda.example/%C3%BC'],
    ['https://203.0.113.9/',                  'https://203.0.113.9/'],
    ['',                                      NO_URL],
    ['example.com/hook',                      NO_URL],
    ['/hook',                                 NO_URL],
    ['https://',                              NO_URL],
    ['https://exam ple.com/',                 NO_URL],
    ['https://example.com/a b',               NO_URL],
    ['https:\n//example.com/',                NO_URL],
    ['https://example.com/\u0000',            NO_URL],
    ['https://example.com:99999/',            NO_URL],
    ['http://example.com/',                   SCHEME],
    ['http://localhost/',                     SCHEME],
    ['http://127.0.0.1:3000/',                SCHEME],
    ['ftp://example.com/',                    SCHEME],
    ['file:///etc/passwd',                    SCHEME],
    ['javascript:alert(1)',                   SCHEME],
    ['wss://example.com/',                    SCHEME],
    ['https://user@example.com/',             CREDENTIALS],
    ['https://:password@example.com/',        CREDENTIALS],
    ['https://example.com@evil.example/',     CREDENTIALS],
    ['https://example.com:80/',               PORT],
    ['https://example.com:5432/',             PORT],
    ['https://example.com:444/',              PORT],
    ['https://example.com./',                 DOT],
    ['https://localhost./',                   DOT],
  ];
  for (const [text, expected] of ROWS)
    it(`is read as ${JSON.stringify(text)}: ${expected}`, () => {
      expect(read(text)).to.equal(expected);
    });

  it('is refused as an error of the body at /url', () => {
    expect(readDestinationUrl('x', 'webhook', STRICT)).to.deep.equal({
      refused: 'invalid_body',
      faults: [{ parameter: '/url', code: 'invalid_uri', message: NO_URL }],
    });
  });

  it('may have a port that the settings add', () => {
    const rules = { ...STRICT, ports: [9_443, 443] };
    expect(read('https://example.com:9443/', 'webhook', rules)).to.equal('https://example.com:9443/');
    expect(read('https://example.com:81/', 'webhook', rules)).to.equal(`${PORT}, 9443`);
    expect(PORTS).to.deep.equal([443, 8_443]);
  });

  it('has at most 2 000 characters, as it is given and in its normal form', () => {
    const long = (length: number) => 'https://example.com/'.padEnd(length, 'a');
    const message = 'must have at most 2000 characters';
    expect(read(long(DESTINATION_URL_LENGTH_MAX))).to.have.length(DESTINATION_URL_LENGTH_MAX);
    expect(read(long(DESTINATION_URL_LENGTH_MAX + 1))).to.equal(message);
    expect(read(`https://example.com/${'ü'.repeat(400)}`)).to.equal(message);
    expect(read(`https://example.com/#${'a'.repeat(2_000)}`)).to.equal(message);
  });

  it('may name this machine if that is allowed, over http or https, at any port and for every kind', () => {
    const urls = [
      'http://localhost:3000/',
      'http://127.0.0.1/',
      'https://127.0.0.2:5000/',
      'http://[::1]:1/',
    ];
    for (const url of urls) {
      expect([read(url, 'webhook', LOCAL), read(url, 'slack', LOCAL)]).to.deep.equal([url, url]);
      expect(isAllowedLoopback(new URL(url), LOCAL)).to.equal(true);
      expect(isAllowedLoopback(new URL(url), STRICT)).to.equal(false);
    }
    expect(read('http://10.0.0.1/', 'webhook', LOCAL)).to.equal(SCHEME);
    expect(read('http://localhost.example.com/', 'webhook', LOCAL)).to.equal(SCHEME);
    expect(read('ftp://localhost/', 'webhook', LOCAL)).to.equal(SCHEME);
    expect(read('http://me@localhost/', 'webhook', LOCAL)).to.equal(CREDENTIALS);
    expect(read('http://localhost@10.0.0.1/', 'webhook', LOCAL)).to.equal(CREDENTIALS);
  });

  it('is a URL to which a request may be sent, and reads as itself', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (text) => {
        const url = readDestinationUrl(text, 'webhook', STRICT);
        fc.pre(typeof url === 'string');
        expect(urlFault(new URL(url), STRICT)).to.equal(null);
        expect(readDestinationUrl(url, 'webhook', STRICT)).to.equal(url);
      }),
      runs(200),
    );
  });
});

describe('The URL of a Slack destination', () => {
  const HOST = 'must have the host hooks.slack.com or discord.com';
  const PATH = 'must have a path that ends in /slack on the host discord.com';
  const DISCORD = 'https://discord.com/api/webhooks/1/abc';
  // biome-ignore format: a table is read by its columns
  const ROWS: readonly (readonly [text: string, read: string])[] = [
    ['https://hooks.slack.com/services/T0/B0/f3Qz',    'https://hooks.slack.com/services/T0/B0/f3Qz'],
    [`${DISCORD}/slack`,                               `${DISCORD}/slack`],
    [`${DISCORD}/slack?wait=true`,                     `${DISCORD}/slack?wait=true`],
    [DISCORD,                                          PATH],
    [`${DISCORD}/github`,                              PATH],
    [`${DISCORD}?/slack`,                              PATH],
    [`${DISCORD}#/slack`,                              PATH],
    ['https://hooks.slack.com.evil.example/services',  HOST],
    ['https://evil.example/hooks.slack.com',           HOST],
    ['https://slack.com/services',                     HOST],
    ['https://xhooks.slack.com/services',              HOST],
    ['https://discord.com.evil.example/slack',         HOST],
    ['https://localhost/slack',                        HOST],
    ['https://hooks.slack.com:444/services',           PORT],
    ['https://hooks.slack.com@evil.example/services',  CREDENTIALS],
    ['http://hooks.slack.com/services',                SCHEME],
  ];
  for (const [text, expected] of ROWS)
    it(`is read as ${text}: ${expected}`, () => {
      expect(read(text, 'slack')).to.equal(expected);
    });
});

describe('The shown form of a URL', () => {
  // biome-ignore format: a table is read by its columns
  const ROWS: readonly (readonly [text: string, shown: string])[] = [
    ['https://hooks.slack.com/services/T0/B0/secretf3Qz', 'hooks.slack.com …f3Qz'],
    ['https://example.com:8443/a?token=12345',            'example.com:8443 …2345'],
    ['https://example.com/a',                             'example.com …/a'],
    ['https://example.com',                               'example.com …/'],
    ['https://ü.example/hook',                       'xn--tda.example …hook'],
  ];
  for (const [text, shown] of ROWS)
    it(`has the host and the last 4 characters: ${shown}`, () => {
      const url = readDestinationUrl(text, 'webhook', STRICT);
      expect(typeof url === 'string' ? shownUrl(url) : url).to.equal(shown);
    });
});
