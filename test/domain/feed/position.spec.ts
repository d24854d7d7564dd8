import { expect } from 'chai';
import fc from 'fast-check';
import {
  holds,
  isAfter,
  NO_MARK,
  type Position,
  positionToken,
  readPosition,
  samePosition,
} from '../../../src/domain/feed/position.js';
import { runs } from '../../support/objects/builders.js';

const mark = fc.uint8Array({ minLength: 8, maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString('hex'));
const number = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

describe('A position', () => {
  it('is a token of at most 64 characters from which number and mark can be read (D44)', () => {
    const property = fc.property(number, mark, (n, of) => {
      const token = positionToken({ n, mark: of });
      expect(token).to.match(/^[A-Za-z0-9._~-]{1,64}$/);
      expect(readPosition(token)).to.deep.equal({ n, mark: of });
    });
    fc.assert(property, runs(500));
  });

  it('has the token that clients may have stored', () => {
    const position = { n: 2_003, mark: '9f1c2b7d04e85a36' };
    const token = `${'A'.repeat(8)}B9OfHCt9BOhaNg`;
    expect(positionToken(position)).to.equal(token);
    expect(readPosition(token)).to.deep.equal(position);
  });

  it('has another token if the number or the mark differs', () => {
    const tokens = [
      { n: 1, mark: NO_MARK },
      { n: 2, mark: NO_MARK },
      { n: 1, mark: `${NO_MARK.slice(1)}1` },
    ];
    expect(new Set(tokens)).to.have.property('size', 3);
  });

  it('is the same as another one if number and mark are equal, and after it if its number is greater', () => {
    const of = (n: number, digit: string) => ({ n, mark: digit.repeat(16) });
    const table: readonly (readonly [Position, Position, isSame: boolean, isLater: boolean])[] = [
      [of(7, 'a'), of(7, 'a'), true, false],
      [of(7, 'a'), of(7, 'b'), false, false],
      [of(7, 'a'), of(8, 'a'), false, false],
      [of(256, 'a'), of(255, 'a'), false, true],
    ];
    for (const [one, other, isSame, isLater] of table)
      expect([samePosition(one, other), isAfter(one, other)]).to.deep.equal([isSame, isLater]);
    expect(samePosition(null, of(0, '0'))).to.equal(false);
    expect(samePosition(null, null)).to.equal(true);
  });

  it('holds another one if it is the same, or has a greater number', () => {
    const of = (n: number, digit: string) => ({ n, mark: digit.repeat(16) });
    const table: readonly (readonly [newest: Position, applied: Position, isHeld: boolean])[] = [
      [of(7, 'a'), of(7, 'a'), true],
      [of(8, 'b'), of(7, 'a'), true],
      [of(256, 'a'), of(255, 'f'), true],
      [of(7, 'b'), of(7, 'a'), false],
      [of(6, 'a'), of(7, 'a'), false],
    ];
    for (const [newest, applied, isHeld] of table) expect(holds(newest, applied)).to.equal(isHeld);
  });

  it('is not read from any other text', () => {
    const token = positionToken({ n: 7, mark: NO_MARK });
    for (const text of ['', '7', token.slice(1), `${token}A`, ` ${token}`, `B${token.slice(1)}`, `${token}=`])
      expect(readPosition(text), text).to.equal(null);
    const property = fc.property(fc.string(), (text) => {
      const read = readPosition(text);
      if (read !== null) expect(positionToken(read)).to.equal(text);
    });
    fc.assert(property, runs(500));
  });
});
