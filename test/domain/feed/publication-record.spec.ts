import { expect } from 'chai';
import {
  lastHour,
  MINUTES_KEPT,
  NOTHING_PUBLISHED,
  type PublicationRecord,
  REJECTIONS_KEPT,
  rejectedInLastHour,
  startOfMinute,
  withCounts,
  withRejection,
} from '../../../src/domain/feed/publication-record.js';
import { MINUTE, plus, SECOND } from '../../../src/domain/moment.js';
import { NOON } from '../../support/objects/builders.js';

const FAULT = { parameter: '/color', code: 'unknown_field', message: 'is not a field' } as const;
const same = (text: string) => text;

describe('The record of publications', () => {
  const later = (minutes: number) => plus(NOON, minutes * MINUTE);

  it('adds up the items of a minute, also while a clock goes back within it', () => {
    const counted = [
      [NOON, { published: 2 }],
      [plus(NOON, 59 * SECOND), { published: 1, unchanged: 4 }],
      [later(1), { published: 7 }],
      [NOON, { unchanged: 1 }],
    ] as const;
    const record = counted.reduce<PublicationRecord>(
      (before, [at, counts]) => withCounts(before, at, counts),
      NOTHING_PUBLISHED,
    );
    expect(record.minutes).to.deep.equal([
      { start: NOON, published: 3, unchanged: 4, rejected: 0 },
      { start: later(1), published: 7, unchanged: 1, rejected: 0 },
    ]);
    expect(startOfMinute(plus(later(1), 59 * SECOND))).to.equal(later(1));
  });

  it('keeps 60 minutes and 20 rejections, however many there were', () => {
    let record = NOTHING_PUBLISHED;
    for (let n = 0; n < 200; n += 1) {
      record = withRejection(record, later(n), { id: `ne_${n}`, faults: [FAULT, FAULT] }, same);
    }
    expect([record.minutes.length, record.rejections.length]).to.deep.equal([MINUTES_KEPT, REJECTIONS_KEPT]);
    expect(record.rejections.at(-1)).to.deep.equal({
      ...{ at: later(199), id: 'ne_199', field: '/color', message: 'is not a field', more: 1 },
    });
    expect(record.minutes.at(-1)?.rejected).to.equal(1);
  });

  it('cuts and redacts the texts of publishers (D19)', () => {
    const faults = [{ ...FAULT, parameter: `/secret${'x'.repeat(9_999)}` }];
    const { rejections } = withRejection(NOTHING_PUBLISHED, NOON, { id: 'secret', faults }, (text) =>
      text.replace('secret', '…'),
    );
    expect(rejections[0]?.id).to.equal('…');
    expect(rejections[0]?.field).to.have.length(120).and.not.include('secret');
  });

  it('counts the rejections of the last hour', () => {
    const rejections = [later(-60), later(-59), NOON];
    const record = rejections.reduce<PublicationRecord>(
      (before, at) => withCounts(before, at, { rejected: 2 }),
      NOTHING_PUBLISHED,
    );
    expect(rejectedInLastHour(record, NOON)).to.equal(4);
  });

  it('shows every minute of the last hour, also those without an item', () => {
    const { minutes } = withCounts(NOTHING_PUBLISHED, later(-5), { published: 3 });
    const shown = lastHour(minutes, plus(NOON, 10 * SECOND));
    expect([shown.length, shown[0]?.start, shown.at(-1)?.start]).to.deep.equal([60, later(-59), NOON]);
    expect(shown.filter(({ published }) => published > 0)).to.deep.equal(minutes);
  });
});
