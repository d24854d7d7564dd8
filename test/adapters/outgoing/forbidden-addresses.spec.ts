import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { HttpOutgoing, type HttpOutgoingOptions } from '../../../src/adapters/outgoing/http-outgoing.js';
import type { OutgoingOutcome } from '../../../src/application/ports/destinations/outgoing.js';
import { type DestinationUrl, readDestinationUrl } from '../../../src/domain/destinations/destination-url.js';
import { certificateIn } from '../../support/proxies/certificate.js';
import { answering, type Receiver, receiver } from '../../support/servers/receiver.js';

/** The address of a receiver that is allowed. All other addresses of this machine are forbidden. */
const ALLOWED = '127.0.0.2';
const FORBIDDEN = '127.0.0.1';

describe('A request to a destination (D70)', () => {
  let folder: string;
  let tls: { readonly cert: string; readonly key: string };
  /** It listens on all addresses of this machine, so that any connection to a forbidden one is counted. */
  let inside: Receiver;
  let outside: Receiver;
  const openings: HttpOutgoing[] = [];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'oddswire-outgoing-'));
    const names = ['example.com', 'rebinding.example', 'redirects.example', 'mixed.example'];
    const { keyFile, ca } = certificateIn(folder, names.map((name) => `DNS:${name}`).join());
    tls = { cert: ca, key: readFileSync(keyFile, 'utf8') };
    inside = await receiver(answering('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'), { host: '::', tls });
    const location = `https://${FORBIDDEN}:${inside.port}/`;
    outside = await receiver(
      answering(`HTTP/1.1 307 Temporary Redirect\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`),
      { host: ALLOWED, tls },
    );
  });
  after(async () => {
    for (const outgoing of openings) outgoing.close();
    await Promise.all([inside.close(), outside.close()]);
    rmSync(folder, { recursive: true });
  });

  /** Port rules hide no address here: the ports of both receivers are accepted. */
  const sender = (options: Partial<HttpOutgoingOptions> = {}): HttpOutgoing => {
    const outgoing = new HttpOutgoing({
      ports: [inside.port, outside.port],
      allowsLoopback: false,
      networks: [],
      timeoutMs: 5_000,
      resolve: async () => [FORBIDDEN],
      ca: tls.cert,
      ...options,
    });
    openings.push(outgoing);
    return outgoing;
  };
  const post = (outgoing: HttpOutgoing, url: string): Promise<OutgoingOutcome> =>
    outgoing.post({ url: url as DestinationUrl, headers: {}, body: '{}' });
  const whyNot = async (outgoing: HttpOutgoing, url: string): Promise<string> => {
    const outcome = await post(outgoing, url);
    return outcome.answered ? `answered ${outcome.status}` : outcome.why;
  };
  /** Expects that no connection is opened to a forbidden address. */
  const reachingNothing = async (work: () => Promise<void>): Promise<void> => {
    const before = inside.opened();
    await work();
    expect(inside.opened()).to.equal(before);
  };

  it('reaches the receiver of these tests if its address is allowed', async () => {
    const before = inside.opened();
    const outgoing = sender({ networks: ['127.0.0.1/32'] });
    expect(await whyNot(outgoing, `https://example.com:${inside.port}/`)).to.equal('answered 200');
    expect(inside.opened()).to.equal(before + 1);
  });

  it('goes to an address in the URL without a look-up, if it is allowed', async () => {
    const before = inside.opened();
    const resolve = () => Promise.reject(new Error('a look-up'));
    const outgoing = sender({ networks: ['127.0.0.1/32', '::1/128'], resolve });
    // The certificate is for names only, which shows that the connection was opened.
    for (const host of ['127.0.0.1', '[::1]'])
      expect(await whyNot(outgoing, `https://${host}:${inside.port}/`)).to.equal('tls');
    expect(inside.opened()).to.equal(before + 2);
  });

  // biome-ignore format: a table is read by its columns
  const HOSTS: Readonly<Record<string, readonly string[]>> = {
    'an address of this machine':            ['127.0.0.1', '127.1', '127.0.1', '127.255.255.254', '[::1]', '[0:0:0:0:0:0:0:1]', '[0000::0001]'],
    'the address of no machine':             ['0', '0.0.0.0', '0x0', '00', '[::]', '0.0.0.1'],
    'a decimal address':                     ['2130706433', '2852039166', '167772161', '127.0.0.1.'],
    'an octal address':                      ['0177.0.0.1', '017700000001', '0177.1', '0300.0250.0.1'],
    'a hexadecimal address':                 ['0x7f000001', '0x7f.0.0.1', '0x7f.1', '0xa9fea9fe', '0X7F.0X0.0x0.0x1'],
    'an address in mixed bases':             ['0x7f.0.0.01', '0177.0x0.0.1', '169.0376.43518'],
    'a mapped IPv4 address':                 ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:7f00:0001]', '[::FFFF:10.0.0.1]'],
    'a compatible or translated address':    ['[::127.0.0.1]', '[::7f00:1]', '[::ffff:0:127.0.0.1]'],
    'an address behind NAT64':               ['[64:ff9b::127.0.0.1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::7f00:1]'],
    'an address in 6to4 or Teredo':          ['[2002:7f00:1::]', '[2002:a9fe:a9fe::1]', '[2001:0:7f00:1::]', '[2001::1]'],
    'a private address':                     ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '192.168.257'],
    'carrier-grade NAT':                     ['100.64.0.1', '100.100.100.200', '100.127.255.255'],
    'the metadata service of a cloud':       ['169.254.169.254', '[fd00:ec2::254]', '[::ffff:169.254.169.254]', '169.254.170.2'],
    'a link-local address':                  ['169.254.0.1', '[fe80::1]', '[fe90::1]'],
    'a unique-local or site-local address':  ['[fc00::1]', '[fd12:3456::1]', '[fec0::1]'],
    'multicast or broadcast':                ['224.0.0.1', '239.255.255.250', '255.255.255.255', '[ff02::1]', '[ff05::2]'],
    'documentation and benchmarks':          ['192.0.2.1', '198.51.100.1', '203.0.113.1', '198.18.0.1', '[2001:db8::1]', '[3fff::1]'],
    'reserved and unassigned':               ['240.0.0.1', '192.0.0.170', '192.88.99.1', '[100::1]', '[4000::1]', '[5f00::1]'],
    'digits and dots of other scripts':      ['１２７.０.０.１', '127。0。0。1', '127．0．0．1', '①②⑦.⓪.⓪.①', '𝟏𝟐𝟕.𝟎.𝟎.𝟏'],
    'percent-encoded digits':                ['127.0.0.%31', '%31%32%37.0.0.1', '127%2E0.0.1'],
    'a name of this machine':                ['localhost', 'LOCALHOST', 'ｌｏｃａｌｈｏｓｔ', 'localhost.example', 'foo.localhost'],
    'a name that resolves to this machine':  ['loopback.example', '127.0.0.1.nip.io', 'example.com', 'xn--tda.example', 'ü.example'],
    'a name that looks like another one':    ['example.com.127.0.0.1.nip.io', 'ⓔⓧⓐⓜⓟⓛⓔ.com', 'ex\u00adample.com'],
  };
  for (const [kind, hosts] of Object.entries(HOSTS))
    for (const host of hosts)
      it(`reaches nothing: ${kind}, https://${host}`, () =>
        reachingNothing(async () => {
          const url = new URL(`https://${host}:${inside.port}/`).href;
          expect(await whyNot(sender(), url)).to.equal('address_not_allowed');
          // The usual port, too, as the listener could be there.
          expect(await whyNot(sender(), new URL(`https://${host}/`).href)).to.equal('address_not_allowed');
        }));

  // biome-ignore format: a table is read by its columns
  const REFUSED_TEXTS = [
    'https://[fe80::1%25lo]:PORT/', 'https://[::1%lo]:PORT/', 'https://127.0.0.1.1:PORT/', 'https://256.0.0.1:PORT/', 'https://0x7f.0.0.0x100:PORT/',
    'https://[::ffff:127.0.0.1:PORT/', 'https://127.0.0.1:PORT:443/', 'https://exa\tmple.com:PORT/', 'https:// 127.0.0.1:PORT/', 'https://127.0.0.1\u0000.example.com:PORT/',
    'https://example.com@127.0.0.1:PORT/', 'https://user:password@example.com:PORT/', 'https://example.com%40127.0.0.1:PORT/', 'https://localhost.:PORT/', 'https://example.com.:PORT/',
    'http://127.0.0.1:PORT/', 'http://localhost:PORT/', 'http://example.com:PORT/', 'gopher://127.0.0.1:PORT/', 'ftp://127.0.0.1:PORT/',
    'file:///etc/passwd', 'unix:/var/run/docker.sock', 'ws://127.0.0.1:PORT/', 'data:text/plain,x', 'https://example.com:22/',
    'https://example.com:6379/', 'https://example.com:5432/', 'https://example.com:0/', 'https://example.com:65536/', 'https://example.com:-443/',
  ];
  for (const text of REFUSED_TEXTS)
    it(`reaches nothing: the rule refuses ${JSON.stringify(text)}`, () =>
      reachingNothing(async () => {
        const url = text.replace('PORT', String(inside.port));
        const rules = { ports: [inside.port], allowsLoopback: false };
        expect(readDestinationUrl(url, 'webhook', rules)).to.have.property('refused', 'invalid_body');
        // As if it had been stored under another rule: both checks are made again.
        if (URL.canParse(url))
          expect(await whyNot(sender(), url)).to.be.oneOf(['url_not_allowed', 'address_not_allowed']);
      }));

  it('reads what stands after a backslash, a question mark or a hash as no host', () =>
    reachingNothing(async () => {
      const hosts: string[] = [];
      const resolve = async (host: string) => {
        hosts.push(host);
        return [FORBIDDEN];
      };
      for (const text of [
        'https://example.com\\@127.0.0.1/',
        'https://example.com?@127.0.0.1/',
        'https://example.com#@127.0.0.1/',
      ])
        expect(await whyNot(sender({ resolve }), new URL(text).href)).to.equal('address_not_allowed');
      expect(hosts).to.deep.equal(['example.com', 'example.com', 'example.com']);
    }));

  it('is not sent if any address of the host is forbidden, in any order', () =>
    reachingNothing(async () => {
      const before = outside.opened();
      const lists = [
        [ALLOWED, FORBIDDEN],
        [FORBIDDEN, ALLOWED],
        [ALLOWED, '::1'],
        [ALLOWED, '169.254.169.254', ALLOWED],
        [ALLOWED, 'fe80::1%lo'],
      ];
      for (const list of lists) {
        const outgoing = sender({ networks: [`${ALLOWED}/32`], resolve: async () => list });
        expect(await whyNot(outgoing, `https://mixed.example:${outside.port}/`), list.join()).to.equal(
          'address_not_allowed',
        );
      }
      expect(outside.opened()).to.equal(before);
    }));

  it('goes to the address that was checked, also if the name has another one at the next look-up', () =>
    reachingNothing(async () => {
      const answers = [[ALLOWED], [FORBIDDEN]];
      const resolve = async () => answers.shift() ?? [FORBIDDEN];
      const outgoing = sender({ networks: [`${ALLOWED}/32`], resolve });
      const url = `https://rebinding.example:${outside.port}/`;
      expect(await whyNot(outgoing, url)).to.equal('answered 307');
      expect(answers).to.have.length(1);
      outgoing.close();
      expect(await whyNot(outgoing, url)).to.equal('address_not_allowed');
      expect(answers).to.have.length(0);
    }));

  it('does not follow a redirect', () =>
    reachingNothing(async () => {
      const outgoing = sender({ networks: [`${ALLOWED}/32`], resolve: async () => [ALLOWED] });
      expect(await whyNot(outgoing, `https://redirects.example:${outside.port}/`)).to.equal('answered 307');
    }));

  it('reaches this machine by its own names only, if that is allowed for the demo and for tests', async () => {
    const outgoing = sender({ allowsLoopback: true });
    await reachingNothing(async () => {
      for (const host of ['example.com', 'loopback.example', '0.0.0.0', '[::ffff:127.0.0.1]', '10.0.0.1'])
        expect(await whyNot(outgoing, `https://${host}:${inside.port}/`), host).to.equal(
          'address_not_allowed',
        );
      expect(await whyNot(outgoing, `http://example.com:${inside.port}/`)).to.equal('url_not_allowed');
    });
    const before = inside.opened();
    // The certificate has another name, which shows that the connection was opened.
    expect(await whyNot(outgoing, `https://localhost:${inside.port}/`)).to.equal('tls');
    expect(inside.opened()).to.equal(before + 1);
  });
});
