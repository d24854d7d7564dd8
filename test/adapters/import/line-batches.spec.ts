import { expect } from 'chai';
import { lineBatches } from '../../../src/adapters/import/line-batches.js';

describe('The batches of a file', () => {
  const all = async (chunks: readonly string[], limits?: { lines: number; bytes: number }) => {
    const read = async function* () {
      for (const chunk of chunks) yield Buffer.from(chunk);
    };
    const batches: { numbers: readonly number[]; body: string; readBytes: number }[] = [];
    for await (const { numbers, body, readBytes } of lineBatches(read(), limits)) {
      batches.push({ numbers, body: body.toString(), readBytes });
    }
    return batches;
  };

  it('do not depend on the chunks of the file', async () => {
    const file = '{"a":"é"}\n\n  \r\n{"b":2}\n{"c":3}';
    const limits = { lines: 2, bytes: 100 };
    const whole = await all([file], limits);
    expect(whole).to.deep.equal([
      { numbers: [1, 4], body: '{"a":"é"}\n{"b":2}', readBytes: 24 },
      { numbers: [5], body: '{"c":3}', readBytes: 31 },
    ]);
    expect(await all([...file], limits)).to.deep.equal(whole);
    expect(await all([`${file}\n`], limits)).to.deep.equal([whole[0], { ...whole[1], readBytes: 32 }]);
  });

  it('split lines only at newlines, because JSON text may contain U+2028', async () => {
    expect(await all(['"\u2028\u0085"\n'])).to.have.length(1);
  });

  it('respect the byte limit: a longer line is cut and sent alone', async () => {
    const batches = await all(['1234\n56789\n0\nabcdefghijklmnop\nq'], { lines: 10, bytes: 10 });
    expect(batches.map(({ numbers, body }) => [numbers, body])).to.deep.equal([
      [[1, 2], '1234\n56789'],
      [[3], '0'],
      [[4], 'abcdefghij'],
      [[5], 'q'],
    ]);
  });
});
