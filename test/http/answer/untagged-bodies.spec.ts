import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { Compression } from '../../../src/adapters/http/answer/compression.js';
import { conditional } from '../../../src/adapters/http/answer/conditional.js';
import { contentEncoding } from '../../../src/adapters/http/answer/content-encoding.js';
import { bareContext } from '../../support/service/middleware.js';

const asking = () => bareContext({ headers: [['Accept-Encoding', 'gzip']] });

describe('A body without an ETag', () => {
  it('is not cached when it is compressed: another body without a tag gets its own bytes', async () => {
    const encoded = contentEncoding(new Compression());
    for (const character of ['a', 'b']) {
      const ctx = asking();
      await encoded(ctx, async () => {
        ctx.body = Buffer.from(character.repeat(2_000));
      });
      expect(gunzipSync(ctx.body as Buffer).toString()).to.equal(character.repeat(2_000));
    }
  });

  it('gets a tag of its bytes; an existing tag stays (D36)', async () => {
    for (const given of [undefined, 'W/"mine"']) {
      const ctx = asking();
      await conditional(ctx, async () => {
        ctx.status = 200;
        ctx.body = Buffer.from('body');
        if (given !== undefined) ctx.set('ETag', given);
      });
      const tag = ctx.res.getHeader('ETag');
      if (given === undefined) expect(tag).to.match(/^W\/"4-/);
      else expect(tag).to.equal(given);
    }
  });
});
