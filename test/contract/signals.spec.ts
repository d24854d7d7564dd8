import { expect } from 'chai';
import type { Signal } from '../../src/application/ports/signals.js';
import type { KeyHash } from '../../src/domain/key-value.js';
import { contracts, eachAdapter } from './adapters.js';

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
});
