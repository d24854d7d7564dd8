import { expect } from 'chai';
import fc from 'fast-check';
import { NO_MARK, positionToken, readPosition } from '../../../src/domain/feed/position.js';
import { readStreamPosition, sameProgress, streamToken } from '../../../src/domain/feed/stream-position.js';
import { FIRST_MOMENT, LAST_MOMENT, type Moment, momentOf } from '../../../src/domain/moment.js';
import { moment, NOON, runs } from '../../support/objects/builders.js';

const MARK = '00ff11ee22dd33cc';
const byte = fc.integer({ min: 0, max: 255 });
const mark = fc
  .array(byte, { minLength: 8, maxLength: 8 })
  .map((bytes) => Buffer.from(bytes).toString('hex'));
const positions = fc
  .tuple(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), mark)
  .map(([n, of]) => ({ n, mark: of }));
const edges = fc.constantFrom<Moment>(FIRST_MOMENT, LAST_MOMENT, NOON, moment('1969-12-31T23:59:59.999999Z'));
const times = fc.oneof(
  edges,
  fc
    .tuple(fc.integer({ min: -62_135_596_800, max: 253_402_300_799 }), fc.nat(999_999))
    .map(([seconds, micros]) => momentOf(seconds, micros)),
);

const replays = fc.record({
  of: fc.constant('replay' as const),
  began: positions,
  seen: positions,
  reached: times,
});
const REPLAY = {
  of: 'replay' as const,
  began: { n: 7, mark: MARK },
  seen: { n: 9, mark: MARK },
  reached: NOON,
};

/** A token with one byte changed. */
const withByte = (token: string, at: number, change: (value: number) => number): string => {
  const bytes = Buffer.from(token, 'base64url');
  bytes[at] = change(bytes[at] ?? 0);
  return bytes.toString('base64url');
};

describe('A position of a stream', () => {
  it('is read as what it was made of, inside a replay too (D48)', () => {
    const property = fc.property(replays, (replay) => {
      expect(readStreamPosition(streamToken(replay))).to.deep.equal(replay);
      const logged = { of: 'log', position: replay.began } as const;
      expect(readStreamPosition(streamToken(logged))).to.deep.equal(logged);
    });
    fc.assert(property, runs(500));
  });

  it('has the token that clients may have stored', () => {
    const token = 'AQAAAAAAAAcA_xHuIt0zzAAAAAAAAAkA_xHuIt0zzA7hNiFAAAAA';
    expect([streamToken(REPLAY), readStreamPosition(token)]).to.deep.equal([token, REPLAY]);
  });

  it('has a token of at most 64 characters (D44)', () => {
    const property = fc.property(replays, (replay) => {
      expect(streamToken(replay)).to.match(/^[A-Za-z0-9._~-]{1,64}$/);
    });
    fc.assert(property, runs(500));
  });

  it('is never both a position in the log and one inside a replay', () => {
    const property = fc.property(replays, (replay) => {
      expect(readPosition(streamToken(replay))).to.equal(null);
    });
    fc.assert(property, runs(200));
  });

  it('differs if one of the two changes of a replay differs, or the time by a microsecond', () => {
    const property = fc.property(replays, replays, (one, other) => {
      expect(streamToken(one) === streamToken(other)).to.equal(sameProgress(one, other));
    });
    fc.assert(property, runs(500));
    const others = [
      { ...REPLAY, reached: moment('2026-03-01T12:00:00.000001Z') },
      { ...REPLAY, began: REPLAY.seen },
      { ...REPLAY, seen: REPLAY.began },
      { of: 'log', position: REPLAY.began } as const,
    ];
    expect(new Set([REPLAY, ...others].map(streamToken))).to.have.property('size', 5);
    for (const other of others)
      expect([sameProgress(REPLAY, other), sameProgress(other, REPLAY)]).to.deep.equal([false, false]);
    for (const one of [REPLAY, ...others]) expect(sameProgress(one, structuredClone(one))).to.equal(true);
  });

  it('orders replays from one position as their times are ordered, once it is read', () => {
    const reachedOf = (text: string) => {
      const read = readStreamPosition(text);
      return read?.of === 'replay' ? read.reached : expect.fail(text);
    };
    const property = fc.property(times, times, (one, other) => {
      const [a, b] = [one, other].map((at) => reachedOf(streamToken({ ...REPLAY, reached: at })));
      expect((a ?? '') < (b ?? '')).to.equal(one < other);
    });
    fc.assert(property, runs(300));
  });

  it('is not read from any other text', () => {
    const property = fc.property(fc.string(), (text) => {
      const read = readStreamPosition(text);
      if (read !== null) expect(streamToken(read)).to.equal(text);
    });
    fc.assert(property, runs(500));
  });

  it('is not read from other bytes in its form', () => {
    const bytes = fc.array(byte, { maxLength: 60 }).map((all) => Buffer.from(all).toString('base64url'));
    const near = fc
      .tuple(replays, fc.nat(38), byte)
      .map(([replay, at, value]) => withByte(streamToken(replay), at, () => value));
    const property = fc.property(fc.oneof(bytes, near), (text) => {
      const read = readStreamPosition(text);
      if (read !== null) expect(streamToken(read)).to.equal(text);
    });
    fc.assert(property, runs(1_000));
  });

  const token = streamToken(REPLAY);
  const TIME = 31;
  const MICROS = TIME + 5;
  // biome-ignore format: a table is read by its columns
  const others: readonly (readonly [string, string])[] = [
    ['an empty text',                                ''],
    ['a number',                                     '7'],
    ['a position with a character in front',         `A${token}`],
    ['a position with a character at the end',       `${token}A`],
    ['a position with padding',                      `${token}=`],
    ['a position with a space',                      ` ${token}`],
    ['a position in plain base64',                   Buffer.from(token, 'base64url').toString('base64').replace(/A/, '+')],
    ['a position without its last character',        token.slice(0, -1)],
    ['a position of another form',                   withByte(token, 0, () => 2)],
    ['a position inside a replay with the first byte of one in the log', withByte(token, 0, () => 0)],
    ['a position with a million microseconds',       withByte(withByte(withByte(token, MICROS, () => 0x0f), MICROS + 1, () => 0x42), MICROS + 2, () => 0x40)],
    ['a position with more microseconds',            withByte(token, MICROS, () => 0xff)],
    ['a position with a time after the year 9999',   withByte(token, TIME, () => 0xff)],
    ['a position with a number that is not exact',   withByte(token, 1, () => 0xff)],
    ['a position with a second number that is not exact', withByte(token, 16, () => 0xff)],
  ];
  for (const [name, text] of others) {
    it(`is not read from ${name}`, () => {
      expect(readStreamPosition(text)).to.equal(null);
    });
  }

  it('is read from a position without a mark, which is valid nowhere', () => {
    const position = { n: 3, mark: NO_MARK };
    const read = readStreamPosition(positionToken(position));
    expect(read).to.deep.equal({ of: 'log', position });
  });
});
