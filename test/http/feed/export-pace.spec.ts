import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { ExportPace } from '../../../src/adapters/http/feed/history/export-pace.js';

/** Keeps the event loop busy for 5 ms, after which a pause of about 45 ms is due. */
const work = () => {
  const end = performance.now() + 5;
  while (performance.now() < end);
};

describe('An export after a block', () => {
  let requests: number;
  let pace: ExportPace;
  beforeEach(async () => {
    requests = 3;
    pace = new ExportPace(() => requests);
    await setImmediate();
  });

  /** Without a pause, it goes on before the event loop does anything else. */
  const next = () => Promise.race([pace.pause(1).then(() => 'goes on'), setImmediate('pauses')]);

  it('does not pause for the requests that were read before it, as its own', async () => {
    work();
    expect(await next()).to.equal('goes on');
  });

  it('pauses if a request was read since, and again only if there was another one', async () => {
    requests += 1;
    work();
    expect(await next()).to.equal('pauses');
    work();
    expect(await next()).to.equal('goes on');
  });

  it('pauses after the next block for a request that was read in a pause', async () => {
    requests += 1;
    work();
    const paused = pace.pause(1);
    requests += 1;
    await paused;
    work();
    expect(await next()).to.equal('pauses');
  });
});
