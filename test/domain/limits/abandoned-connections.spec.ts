import { expect } from 'chai';
import {
  areAbandoned,
  mayBeAbandoned,
  NONE_READ,
  type ReadLately,
  withOneMore,
} from '../../../src/domain/limits/abandoned-connections.js';

describe('Connections that wait to be accepted', () => {
  const readAfter = (...connections: readonly boolean[]) =>
    connections.reduce<ReadLately>(withOneMore, NONE_READ);

  it('are abandoned if they wait over 100 ms, and most of those before them were', () => {
    const lately = readAfter(...Array.from({ length: 19 }, (_, n) => n < 10));
    expect(areAbandoned(101, lately)).to.equal(true);
    expect(areAbandoned(100, lately)).to.equal(false);
    expect(areAbandoned(10_000, withOneMore(lately, false)), 'half').to.equal(false);
    expect(areAbandoned(10_000, readAfter(...Array.from({ length: 9 }, () => true))), 'few').to.equal(false);
    expect(areAbandoned(10_000, NONE_READ)).to.equal(false);
  });

  it('are judged by those that were read lately', () => {
    const gone = Array.from({ length: 40 }, () => true);
    const present = Array.from({ length: 40 }, () => false);
    expect(areAbandoned(1_000, readAfter(...present, ...gone))).to.equal(true);
    expect(areAbandoned(1_000, readAfter(...gone, ...present))).to.equal(false);
  });

  it('may be abandoned after 100 ms', () => {
    expect([mayBeAbandoned(100), mayBeAbandoned(101)]).to.deep.equal([false, true]);
  });
});
