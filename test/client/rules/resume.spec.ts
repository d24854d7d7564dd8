import { expect } from 'chai';
import { OddswireError } from '../../../packages/client/src/errors.js';
import { queryText } from '../../../packages/client/src/query.js';
import { Resume } from '../../../packages/client/src/resume.js';

describe('A query of the client', () => {
  it('leaves out undefined values, joins lists by commas, and repeats market_id', () => {
    const since = new Date('2026-01-31T12:00:00Z');
    const values = {
      limit: 5,
      since,
      category: ['a', 'b'],
      market_id: ['m&1', 'm2'],
      q: 'é x',
      cursor: undefined,
    };
    expect(queryText(values)).to.equal(
      'limit=5&since=2026-01-31T12%3A00%3A00.000Z&category=a%2Cb&market_id=m%261&market_id=m2&q=%C3%A9+x',
    );
  });

  for (const name of ['market_id', 'market', 'ref', 'category'])
    it(`is refused with an empty list, which would select everything: ${name}`, () => {
      expect(() => queryText({ [name]: [] }))
        .to.throw(OddswireError, `\`${name}\` is an empty list`)
        .with.property('code', 'invalid_options');
    });
});

describe('The start of the next connection', () => {
  it('is what the user asked for until a message has a position, and then this position', () => {
    const resume = new Resume({ since: '2026-01-31', q: 'a' });
    expect(resume.queryText()).to.equal('since=2026-01-31&q=a');
    resume.note({ type: 'ready', position: 'p1' });
    expect(resume.queryText()).to.equal('after=p1&q=a');
    resume.moveTo('p2');
    expect(resume.queryText({ limit: 500, wait: 25 })).to.equal('after=p2&q=a&limit=500&wait=25');
  });

  it('is `after` if the user gave both', () => {
    expect(new Resume({ since: '2026-01-31', after: 'p0' }).queryText()).to.equal('after=p0');
  });

  it('counts failures until a message that is not the greeting', () => {
    const resume = new Resume({});
    resume.noteFailure();
    resume.noteFailure();
    resume.note({ type: 'ready', position: 'p1' });
    expect(resume.failures).to.equal(2);
    resume.note({ type: 'heartbeat', position: 'p2' });
    expect(resume.failures).to.equal(0);
  });
});
