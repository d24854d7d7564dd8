import { expect } from 'chai';
import fc from 'fast-check';
import { EventStreamParser, type StreamEvent } from '../../../packages/client/src/event-stream.js';

const bytesOf = (text: string): Buffer => Buffer.from(text);

/** What a parser returns for these pieces. */
const eventsOf = (...pieces: readonly Uint8Array[]): readonly StreamEvent[] => {
  const parser = new EventStreamParser();
  return pieces.flatMap((piece) => parser.push(piece));
};

const event = (data: string, type = 'message'): StreamEvent => ({ type, data });

// biome-ignore format: a table is read by its columns
const CASES: readonly (readonly [title: string, text: string, events: readonly StreamEvent[]])[] = [
  ['an event of the service',          'id: a.1\nevent: item\ndata: {}\n\n',     [event('{}', 'item')]],
  ['two data lines as one text',       'data: a\ndata: b\n\n',                   [event('a\nb')]],
  ['only one space after the colon',   'data:  a\n\n',                           [event(' a')]],
  ['no space after the colon',         'data:a\n\n',                             [event('a')]],
  ['a field without a colon',          'data\n\n',                               [event('')]],
  ['a colon in the value',             'data: a: b\n\n',                         [event('a: b')]],
  ['a comment',                        ': data: a\n\ndata: b\n\n',               [event('b')]],
  ['unknown fields',                   'retry: 5\ndata: a\nother: b\n\n',        [event('a')]],
  ['no event without data',            'event: item\n\ndata: a\n\n',             [event('a')]],
  ['the type of one event only',       'event: x\ndata: a\n\ndata: b\n\n',       [event('a', 'x'), event('b')]],
  ['a mark at the start of the bytes', '\ufeffdata: a\n\n',                      [event('a')]],
  ['a line separator in the text',     'data: a\u2028b\u0085c\n\n',              [event('a\u2028b\u0085c')]],
  ['CR as line end, at once',          'data: a\r\r',                            [event('a')]],
  ['mixed line ends',                  'data: a\r\ndata: b\rdata: c\n\r\n',      [event('a\nb\nc')]],
  ['no incomplete event',              'data: a\n\ndata: b\n',                   [event('a')]],
  ['no incomplete line',               'data: a\n\ndata: b',                     [event('a')]],
];

describe('The parser of event streams', () => {
  for (const [title, text, events] of CASES)
    it(`reads ${title}`, () => {
      expect(eventsOf(bytesOf(text))).to.deep.equal(events);
    });

  it('reads the same events however the bytes are split, also inside characters and line ends', () => {
    const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\r\n]/g, ''));
    const data = fc.array(line, { minLength: 1, maxLength: 3 });
    const events = fc.array(fc.tuple(data, fc.constantFrom('\n', '\r', '\r\n')), { maxLength: 4 });
    const mark = fc.constantFrom('', '\ufeff');
    fc.assert(
      fc.property(events, mark, fc.array(fc.nat(200)), (sent, start, cuts) => {
        const text = sent.map(([lines, end]) => `${lines.map((one) => `data: ${one}${end}`).join('')}${end}`);
        const bytes = bytesOf(start + text.join(''));
        const at = [0, ...cuts.filter((cut) => cut <= bytes.length).sort((a, b) => a - b), bytes.length];
        const pieces = at.slice(1).map((end, i) => bytes.subarray(at[i], end));
        const expected = sent.map(([lines]) => event(lines.join('\n')));
        expect(eventsOf(...pieces)).to.deep.equal(expected);
        expect(eventsOf(...[...bytes].map((byte) => Uint8Array.of(byte)))).to.deep.equal(expected);
      }),
    );
  });

  it('refuses bytes that are not UTF-8, so that a torn character never becomes another one', () => {
    const torn = Buffer.concat([bytesOf('data: “a').subarray(0, 8), bytesOf('\n\n')]);
    expect(() => eventsOf(torn)).to.throw();
  });

  it('refuses a line without an end', () => {
    const piece = bytesOf('x'.repeat(4_000_000));
    expect(() => eventsOf(...Array.from({ length: 5 }, () => piece))).to.throw('too long');
  });
});
