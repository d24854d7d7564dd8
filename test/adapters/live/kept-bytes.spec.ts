import { expect } from 'chai';
import { Compression } from '../../../src/adapters/http/answer/compression.js';
import { feedPageJson } from '../../../src/adapters/http/feed/feed-page-json.js';
import { contentOf, itemContent } from '../../../src/adapters/live/messages/content.js';
import { Message } from '../../../src/adapters/live/messages/message.js';
import { positionToken } from '../../../src/domain/feed/position.js';
import { item } from '../../support/objects/listed-items.js';

const POSITION = positionToken({ n: 1, mark: '00'.repeat(8) });
/** Compressed, and not only stored, because it is longer than 200 bytes. */
const LONG = { ...item('a', 1), json: Buffer.from(JSON.stringify({ text: 'text '.repeat(100) })) };

/** A cache counts the length of what it keeps. A part of a pool keeps the whole pool. */
describe('What a cache keeps takes as much memory as its length', () => {
  const takes = (bytes: Uint8Array) => bytes.buffer.byteLength - bytes.length;

  for (const [name, content] of [
    ['an item', itemContent(LONG, 'whole', null)],
    ['a short item', itemContent(item('b', 1), 'whole', null)],
    ['a retraction', contentOf({ id: 'a' })],
  ] as const)
    it(`as the content and frames of ${name}`, () => {
      const message = new Message('item', POSITION, content);
      const frames = (['sse', 'sse-gzip', 'ws', 'ws-deflate'] as const).map((form) => message.frame(form));
      expect([content.text, content.deflated, ...frames].map(takes)).to.deep.equal([0, 0, 0, 0, 0, 0]);
    });

  it('as the body of a small page', () => {
    expect(takes(feedPageJson([item('a', 1).json], null))).to.equal(0);
  });

  for (const encoding of ['br', 'gzip'] as const)
    it(`as a body that is compressed with ${encoding}`, async () => {
      expect(takes(await new Compression().of(encoding, 'tag', Buffer.alloc(5_000)))).to.equal(0);
    });
});
