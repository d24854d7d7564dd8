import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { expect } from 'chai';
import { dnsResolution } from '../../../src/adapters/outgoing/resolve-host.js';

const [A, AAAA] = [1, 28];

/** The records of each name: the bytes of its addresses, by type. A name without an entry does not exist. */
const RECORDS: Readonly<Record<string, Readonly<Record<number, readonly (readonly number[])[]>>>> = {
  'both.example': {
    [A]: [
      [192, 0, 2, 1],
      [10, 0, 0, 1],
    ],
    [AAAA]: [[...Array(15).fill(0), 1]],
  },
  'four.example': { [A]: [[192, 0, 2, 4]] },
  'six.example': { [AAAA]: [[0x20, 1, 0xd, 0xb8, ...Array(11).fill(0), 6]] },
  localhost: { [A]: [[192, 0, 2, 9]] },
};

/** A name server: it answers one question with all records of a name. */
const answerTo = (query: Buffer): Buffer => {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = query.readUInt16BE(at + 1);
  const records = RECORDS[labels.join('.').toLowerCase()];
  const answers = (records?.[type] ?? []).map((bytes) =>
    // A pointer to the name of the question, type, class, 60 s, and the address.
    Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, bytes.length, ...bytes]),
  );
  const header = Buffer.from([
    0,
    0,
    0x81,
    records === undefined ? 0x83 : 0x80,
    0,
    1,
    0,
    answers.length,
    0,
    0,
    0,
    0,
  ]);
  query.copy(header, 0, 0, 2);
  return Buffer.concat([header, query.subarray(12, at + 5), ...answers]);
};

describe('The look-up of a host', () => {
  let server: Socket;
  let resolve: ReturnType<typeof dnsResolution>;
  before(async () => {
    server = createSocket('udp4');
    server.on('message', (query, { port, address }) => server.send(answerTo(query), port, address));
    server.bind(0, '127.0.0.1');
    await once(server, 'listening');
    resolve = dnsResolution([`127.0.0.1:${server.address().port}`]);
  });
  after(() => server.close());

  it('finds all addresses of both families', async () => {
    expect(await resolve('both.example')).to.have.members(['192.0.2.1', '10.0.0.1', '::1']);
    expect(await resolve('four.example')).to.deep.equal(['192.0.2.4']);
    expect(await resolve('six.example')).to.deep.equal(['2001:db8::6']);
  });

  it('finds nothing for a name that does not exist, or that cannot exist', async () => {
    expect(await resolve('none.example')).to.deep.equal([]);
    expect(await resolve(`${'a'.repeat(64)}.example`)).to.deep.equal([]);
  });

  it('finds nothing if no name server listens', async () => {
    expect(await dnsResolution(['127.0.0.1:1'])('four.example')).to.deep.equal([]);
  });
});
