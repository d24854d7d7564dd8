import { expect } from 'chai';
import type { Signal } from '../../src/application/ports/signals.js';
import type { KeyHash } from '../../src/domain/keys/key-value.js';
import { contracts } from './adapters.js';
import { eachAdapter } from './opening.js';

eachAdapter('Signals', contracts.signals, (instance) => {
  const heard = (listen: (listener: (signal: Signal) => void) => () => void) =>
    new Promise<Signal>((done) => {
      const stop = listen((signal) => {
        stop();
        done(signal);
      });
    });

  it('reach every instance, the one that sends as well, as they were sent', async () => {
    const [left, right] = [await instance(), await instance()];
    const signal: Signal = { changed: 'account', keys: ['a', 'b'] as unknown as readonly KeyHash[] };
    const both = Promise.all([left, right].map((signals) => heard((listener) => signals.listen(listener))));
    await left.send(signal);
    expect(await both).to.deep.equal([signal, signal]);
  });

  it('reach every listener of an instance, and none that has stopped', async () => {
    const [left, right] = [await instance(), await instance()];
    const stopped: Signal[] = [];
    right.listen((signal) => stopped.push(signal))();
    const both = Promise.all([1, 2].map(() => heard((listener) => right.listen(listener))));
    await left.send({ changed: 'feed' });
    expect(await both).to.deep.equal([{ changed: 'feed' }, { changed: 'feed' }]);
    expect(stopped).to.deep.equal([]);
  });

  it('are lost without harm where nobody listens', async () => {
    await (await instance()).send({ changed: 'feed' });
  });

  it('fail nobody who sends them, and nobody else who listens, when a listener fails', async () => {
    const [left, right] = [await instance(), await instance()];
    const stop = left.listen(() => {
      throw new Error('bug in a listener');
    });
    const other = heard((listener) => right.listen(listener));
    try {
      await left.send({ changed: 'feed' });
      expect(await other).to.deep.equal({ changed: 'feed' });
    } finally {
      stop();
    }
  });
});
