import { expect } from 'chai';
import { FormerPrimary, HostAnswers } from '../../../src/adapters/postgres/host-answers.js';

describe('The answers of the hosts of a database URL (D75)', () => {
  const [a, b] = [
    { host: 'a', port: 5432 },
    { host: 'b', port: 5432 },
  ];
  const former = new FormerPrimary(1, 2);
  const answersOf = (hosts: readonly (typeof a)[]) => {
    const answers = new HostAnswers(hosts);
    const reported: FormerPrimary[] = [];
    answers.onOnlyFormer.add((one) => reported.push(one));
    return { answers, reported };
  };

  it('show a former primary only while no host can be used', () => {
    const { answers } = answersOf([a, b]);
    answers.note(a, former);
    expect(answers.onlyFormer, 'b was not asked yet').to.equal(null);
    answers.note(b, 'usable');
    expect(answers.onlyFormer, 'b can be used').to.equal(null);
    answers.note(b, 'unusable');
    expect(answers.onlyFormer).to.equal(former);
    answers.note(a, 'usable');
    expect(answers.onlyFormer, 'a was promoted').to.equal(null);
  });

  it('show no former primary if none answers', () => {
    const { answers, reported } = answersOf([a, b]);
    for (const host of [a, b]) answers.note(host, 'unusable');
    expect(answers.onlyFormer).to.equal(null);
    expect(reported).to.deep.equal([]);
  });

  it('are reported once, and again after a host could be used', () => {
    const { answers, reported } = answersOf([a]);
    for (let i = 0; i < 3; i += 1) answers.note(a, former);
    expect(reported).to.deep.equal([former]);
    answers.note(a, 'usable');
    answers.note(a, former);
    expect(reported).to.deep.equal([former, former]);
  });
});
