import { expect } from 'chai';
import type { Invalidation } from '../../src/application/ports/invalidations.js';
import type { KeyHash } from '../../src/domain/keys/key-value.js';
import { contracts } from './adapters.js';
import { eachAdapter } from './opening.js';

eachAdapter('Invalidations', contracts.invalidations, (instance) => {
  const received = (listen: (listener: (invalidation: Invalidation) => void) => () => void) =>
    new Promise<Invalidation>((done) => {
      const stop = listen((invalidation) => {
        stop();
        done(invalidation);
      });
    });

  it('reach every instance, including the sender, unchanged', async () => {
    const [left, right] = [await instance(), await instance()];
    const invalidation: Invalidation = {
      changed: 'account',
      keys: ['a', 'b'] as unknown as readonly KeyHash[],
    };
    const both = Promise.all(
      [left, right].map((invalidations) => received((listener) => invalidations.listen(listener))),
    );
    await left.send(invalidation);
    expect(await both).to.deep.equal([invalidation, invalidation]);
  });

  it('reach every listener of an instance, and none that has stopped', async () => {
    const [left, right] = [await instance(), await instance()];
    const stopped: Invalidation[] = [];
    right.listen((invalidation) => stopped.push(invalidation))();
    const both = Promise.all([1, 2].map(() => received((listener) => right.listen(listener))));
    await left.send({ changed: 'feed' });
    expect(await both).to.deep.equal([{ changed: 'feed' }, { changed: 'feed' }]);
    expect(stopped).to.deep.equal([]);
  });

  it('are lost without harm if nobody listens', async () => {
    await (await instance()).send({ changed: 'feed' });
  });

  it('fail neither the sender nor other listeners if a listener fails', async () => {
    const [left, right] = [await instance(), await instance()];
    const stop = left.listen(() => {
      throw new Error('bug in a listener');
    });
    const other = received((listener) => right.listen(listener));
    try {
      await left.send({ changed: 'feed' });
      expect(await other).to.deep.equal({ changed: 'feed' });
    } finally {
      stop();
    }
  });
});
