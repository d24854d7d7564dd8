import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { PLANS } from '../../src/domain/billing/plan.js';
import { EnvironmentReader } from '../../src/settings/environment.js';
import { readPlans } from '../../src/settings/plan-settings.js';

describe('The file of PLANS_FILE', () => {
  let folder: string;
  let file: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'oddswire-plans-'));
    file = join(folder, 'plans.json');
  });
  after(() => rmSync(folder, { recursive: true }));

  const read = (content: string, more: Readonly<Record<string, string>> = {}) => {
    writeFileSync(file, content);
    const reader = new EnvironmentReader({ PLANS_FILE: file, ...more });
    return { plans: readPlans(reader), faults: reader.faults };
  };

  it('replaces titles, prices and limits of the plans that it names, and nothing else', () => {
    const { plans, faults } = read(
      '{"pro":{"title":"Team","price":"$99 a month","keys":9,"requests_per_minute":7,"requests_per_day":8,"streams":9,"destinations":9}}',
    );
    expect(faults).to.deep.equal([]);
    expect(plans).to.deep.equal({
      ...PLANS,
      pro: {
        ...{ title: 'Team', rank: 3, price: '$99 a month' },
        ...{ keys: 9, requestsPerMinute: 7, requestsPerDay: 8, streams: 9, destinations: 9 },
      },
    });
  });

  it('is overruled by the setting of a single limit', () => {
    const { plans } = read('{"pro":{"streams":9,"requests_per_day":8,"destinations":7}}', {
      STREAMS_PRO: '10',
      DESTINATIONS_PRO: '11',
    });
    expect(plans.pro).to.deep.include({ streams: 10, requestsPerDay: 8, destinations: 11 });
  });

  // biome-ignore format: a table is read by its columns
  const FAULTY: readonly (readonly [content: string, fault: string])[] = [
    ['{',                       'cannot be read: '],
    ['[]',                      'must have an object with a member for each plan that it changes'],
    ['{"team":{}}',             'names the plan team; plans are free, builder, pro'],
    ['{"pro":7}',               'must have an object for the plan pro'],
    ['{"pro":{"limit":7}}',     'has the field pro.limit; fields are title, price, keys, requests_per_minute, requests_per_day, streams, destinations'],
    ['{"pro":{"streams":0}}',   'must have a whole number from 1 to 100000 as pro.streams'],
    ['{"pro":{"streams":"9"}}', 'must have a whole number from 1 to 100000 as pro.streams'],
    ['{"pro":{"title":""}}',    'must have a text of 1 to 100 characters as pro.title'],
  ];
  for (const [content, fault] of FAULTY)
    it(`is refused with the reason: ${content}`, () => {
      const { plans, faults } = read(content);
      expect(faults).to.have.length(1);
      expect(faults[0]).to.include(`PLANS_FILE (${file}) ${fault}`);
      expect(plans).to.deep.equal(PLANS);
    });

  it('is refused if there is none', () => {
    const reader = new EnvironmentReader({ PLANS_FILE: join(folder, 'none.json') });
    readPlans(reader);
    expect(reader.faults[0]).to.match(/^PLANS_FILE \(.*none\.json\) cannot be read: ENOENT/);
  });
});
