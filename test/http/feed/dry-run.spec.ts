import { expect } from 'chai';
import type { Fault } from '../../../src/domain/refusal.js';
import { publication } from '../../support/objects/builders.js';
import { ask, bearer, type Composed, composed } from '../../support/service/composed.js';

const ALL = { before: null, since: null, newsId: null, marketId: null, terms: [], count: 1_000 };

describe('POST /internal/v1/news?dry_run=true', () => {
  let service: Composed;
  before(async () => {
    service = await composed();
  });
  after(() => service.stop());

  const post = (body: string, type = 'application/x-ndjson', query = '') =>
    ask(`${service.internalUrl}/internal/v1/news${query}`, {
      method: 'POST',
      headers: { ...bearer('publisher-token-of-the-tests'), 'Content-Type': type },
      body,
    });

  const dryRun = async (items: readonly object[], mode = 'live') => {
    const body = items.map((item) => JSON.stringify(item)).join('\n');
    return post(body, 'application/x-ndjson', `?dry_run=true&mode=${mode}`);
  };

  it('gives the answer of a real publication, says so, and stores nothing (D140)', async () => {
    const known = publication({ id: 'known' });
    await post(JSON.stringify(known));
    const before = (await service.parts.feed.page(ALL)).position;
    const items = [known, publication({ id: 'new' }), { ...publication({ id: 'bad' }), color: 'red' }];
    const answer = await dryRun(items);
    const { rejected, ...counts } = answer.json<{ rejected: { line: number; errors: Fault[] }[] }>();
    expect([answer.status, counts]).to.deep.equal([200, { accepted: 1, unchanged: 1, dry_run: true }]);
    expect(rejected.map(({ line, errors }) => [line, errors[0]?.code])).to.deep.equal([[3, 'unknown_field']]);
    expect((await service.parts.feed.page(ALL)).position).to.deep.equal(before);
    const real = await post(items.map((item) => JSON.stringify(item)).join('\n'));
    const { dry_run: _, ...same } = answer.json<{ dry_run: boolean }>();
    expect(real.json()).to.deep.equal(same);
  });

  it('is 422 if items were rejected and none would be in the feed (D11, D140)', async () => {
    const changed = publication({ id: 'known', source_published_at: '2026-02-28T10:00:00Z' });
    const answer = await dryRun([changed], 'backfill');
    expect(answer.status).to.equal(422);
    expect(answer.json()).to.include({ accepted: 0, unchanged: 0, dry_run: true });
  });

  it('judges an item as if the earlier ones of its request were stored, also those of another batch (D140)', async () => {
    const others = Array.from({ length: 60 }, (_, i) => publication({ id: `other-${i}` }));
    const again = publication({ id: 'other-0', source_published_at: '2026-02-28T11:00:00Z' });
    const answer = await dryRun([...others, others[0] ?? {}, again], 'backfill');
    const { accepted, unchanged, rejected } = answer.json<{
      accepted: number;
      unchanged: number;
      rejected: { line: number }[];
    }>();
    expect([accepted, unchanged, rejected.map(({ line }) => line)]).to.deep.equal([60, 1, [62]]);
  });

  it('appears neither in the metrics nor in the notes of the console (D140)', async () => {
    const metrics = async () =>
      (await ask(`${service.internalUrl}/metrics`)).body
        .toString()
        .split('\n')
        .filter((line) => line.startsWith('oddswire_publications_total'));
    const before = [await metrics(), service.parts.publicationNotes.record];
    await dryRun([publication({ id: 'unseen' }), {}]);
    expect([await metrics(), service.parts.publicationNotes.record]).to.deep.equal(before);
  });

  it('is refused with another value, together with a wrong mode', async () => {
    const refused = await post('', 'application/x-ndjson', '?dry_run=yes&mode=later');
    const faults = refused.json<{ errors: Fault[] }>().errors;
    expect([refused.status, faults.map(({ parameter }) => parameter)]).to.deep.equal([
      400,
      ['mode', 'dry_run'],
    ]);
  });
});
