import { once } from 'node:events';
import { expect } from 'chai';
import { Listeners } from '../../../src/adapters/listeners/listeners.js';

describe('Listeners', () => {
  it('call each listener until it is removed', () => {
    const listeners = new Listeners<number>();
    const received: number[] = [];
    const remove = listeners.add((message) => received.push(message));
    listeners.notify(1);
    remove();
    listeners.notify(2);
    expect(received).to.deep.equal([1]);
  });

  it('report the first fault of a listener as a warning, and call the others', async () => {
    const listeners = new Listeners<number>();
    const received: number[] = [];
    const fault = new Error('the listener of a test failed');
    listeners.add(() => {
      throw fault;
    });
    listeners.add((message) => received.push(message));
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    try {
      const warned = once(process, 'warning');
      listeners.notify(1);
      listeners.notify(2);
      await warned;
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.off('warning', onWarning);
    }
    expect(received).to.deep.equal([1, 2]);
    expect(warnings).to.deep.equal([fault]);
  });
});
