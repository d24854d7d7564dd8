import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import fc from 'fast-check';
import { type BodyLine, BodyLines } from '../../../src/adapters/http/feed/body-lines.js';
import { runs } from '../../support/objects/builders.js';

type Limits = { readonly bytesMax: number; readonly lineBytesMax: number };
const WIDE: Limits = { bytesMax: 1_000_000, lineBytesMax: 1_000_000 };

async function read(chunks: readonly Buffer[], limits: Limits = WIDE) {
  const lines = new BodyLines(Readable.from(chunks) as IncomingMessage, limits);
  const found: BodyLine[] = [];
  for await (const line of lines) found.push(line);
  return { found, tooLarge: lines.tooLarge };
}

const texts = async (...chunks: readonly string[]) =>
  (await read(chunks.map((chunk) => Buffer.from(chunk)))).found.map(({ bytes }) => bytes?.toString('utf8'));

/** Cuts the bytes at newlines; the rest after the last newline is a line unless it is empty. */
function split(whole: Buffer, lineBytesMax: number): readonly (Buffer | null)[] {
  const pieces: Buffer[] = [];
  let start = 0;
  for (let i = 0; i < whole.length; i += 1) {
    if (whole[i] !== 0x0a) continue;
    pieces.push(whole.subarray(start, i));
    start = i + 1;
  }
  if (start < whole.length) pieces.push(whole.subarray(start));
  return pieces.map((piece) => (piece.length > lineBytesMax ? null : piece));
}

/** Chunks of bytes with many newlines; chunks may be empty. */
const chunked = fc.array(
  fc
    .array(
      fc.oneof({ weight: 4, arbitrary: fc.nat({ max: 255 }) }, { weight: 1, arbitrary: fc.constant(0x0a) }),
      {
        maxLength: 12,
      },
    )
    .map((bytes) => Buffer.from(bytes)),
  { maxLength: 12 },
);

describe('The lines of a body', () => {
  it('do not depend on how the bytes are cut into chunks', async () => {
    await fc.assert(
      fc.asyncProperty(chunked, fc.integer({ min: 0, max: 20 }), async (chunks, lineBytesMax) => {
        const { found, tooLarge } = await read(chunks, { bytesMax: 1_000, lineBytesMax });
        const expected = split(Buffer.concat(chunks), lineBytesMax);
        expect(found.map(({ bytes }) => bytes?.toString('hex') ?? null)).to.deep.equal(
          expected.map((bytes) => bytes?.toString('hex') ?? null),
        );
        expect(found.map(({ number }) => number)).to.deep.equal(expected.map((_, i) => i + 1));
        expect(tooLarge).to.equal(false);
      }),
      runs(300),
    );
  });

  it('need no newline after the last', async () => {
    expect(await texts('a\nb')).to.deep.equal(['a', 'b']);
    expect(await texts('a\nb\n')).to.deep.equal(['a', 'b']);
    expect(await texts('a\n\n')).to.deep.equal(['a', '']);
    expect(await texts('\n')).to.deep.equal(['']);
    expect(await texts()).to.deep.equal([]);
    expect(await texts('')).to.deep.equal([]);
  });

  it('keep a character whole that two chunks share', async () => {
    const bytes = Buffer.from('€\n€');
    const { found } = await read([bytes.subarray(0, 2), bytes.subarray(2, 5), bytes.subarray(5)]);
    expect(found.map((line) => line.bytes?.toString('utf8'))).to.deep.equal(['€', '€']);
  });

  it('are null if they are longer than the maximum, to the byte, and continue after that (D30)', async () => {
    const limits = { bytesMax: 1_000, lineBytesMax: 4 };
    const { found } = await read([Buffer.from('abcd\nabc'), Buffer.from('de\nab\nabcde')], limits);
    expect(found.map(({ number, bytes }) => [number, bytes?.toString() ?? null])).to.deep.equal([
      [1, 'abcd'],
      [2, null],
      [3, 'ab'],
      [4, null],
    ]);
  });

  it('end early and set `tooLarge` if the body is larger than the maximum, to the byte (D30)', async () => {
    const limits = { bytesMax: 6, lineBytesMax: 100 };
    const within = await read([Buffer.from('ab\n'), Buffer.from('cd\n')], limits);
    expect([within.found.length, within.tooLarge]).to.deep.equal([2, false]);

    const beyond = await read([Buffer.from('ab\n'), Buffer.from('cd\n'), Buffer.from('e')], limits);
    expect([beyond.found.length, beyond.tooLarge]).to.deep.equal([2, true]);
  });

  it('leave a body open that is too large, so that the rest can be drained and the request answered', async () => {
    const body = Readable.from([Buffer.from('abcdef\n'), Buffer.from('more')]);
    const lines = new BodyLines(body as IncomingMessage, { bytesMax: 3, lineBytesMax: 100 });
    for await (const _ of lines) expect.fail('there is no line');
    expect([lines.tooLarge, body.destroyed]).to.deep.equal([true, false]);
    expect((body.read() as Buffer | null)?.toString()).to.equal('more');
  });

  it('fail with the error of the body', async () => {
    const broken = new Readable({
      read() {
        this.destroy(new Error('the caller went away'));
      },
    });
    const lines = new BodyLines(broken as IncomingMessage, WIDE);
    const fault = await lines[Symbol.asyncIterator]()
      .next()
      .then(
        () => null,
        (thrown: unknown) => thrown,
      );
    expect(fault).to.be.an('error').with.property('message', 'the caller went away');
  });
});
