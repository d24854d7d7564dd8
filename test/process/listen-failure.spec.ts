import { expect } from 'chai';
import { type ListenAddress, listenFailure } from '../../src/process/listen-failure.js';

const ADDRESS: ListenAddress = { hostSetting: 'HOST', portSetting: 'PORT', host: 'h', port: 80 };

describe('A listener that cannot open', () => {
  for (const [code, begins] of [
    ['EADDRINUSE', 'PORT 80 is taken on h: '],
    ['EACCES', 'PORT 80 on h needs a permission that this user does not have'],
    ['EADDRNOTAVAIL', 'HOST h is no address of this machine'],
    ['ENOTFOUND', 'HOST h is unknown'],
    ['EAI_AGAIN', 'HOST h is unknown'],
  ] as const) {
    it(`names its setting when the system says ${code}`, () => {
      const fault = Object.assign(new Error('listen'), { code });
      const error = listenFailure(fault, ADDRESS) as Error;
      expect(error.message.startsWith(begins), error.message).to.equal(true);
      expect(error.cause).to.equal(fault);
    });
  }

  it('keeps an error that has nothing to do with its address', () => {
    const fault = new Error('something else');
    expect(listenFailure(fault, ADDRESS)).to.equal(fault);
  });
});
