import { expect } from 'chai';
import { type ListenAddress, listenFailure } from '../../src/process/listen-failure.js';

const ADDRESS: ListenAddress = { hostSetting: 'HOST', portSetting: 'PORT', host: 'h', port: 80 };

describe('The error of a listener that cannot open', () => {
  for (const [code, begins] of [
    ['EADDRINUSE', 'PORT 80 is in use on h: '],
    ['EACCES', 'PORT 80 on h needs a permission that this user does not have'],
    ['EADDRNOTAVAIL', 'HOST h is not an address of this machine'],
    ['ENOTFOUND', 'HOST h cannot be resolved'],
    ['EAI_AGAIN', 'HOST h cannot be resolved'],
  ] as const) {
    it(`names the setting for the system error ${code}`, () => {
      const fault = Object.assign(new Error('listen'), { code });
      const error = listenFailure(fault, ADDRESS) as Error;
      expect(error.message.startsWith(begins), error.message).to.equal(true);
      expect(error.cause).to.equal(fault);
    });
  }

  it('is unchanged if it does not concern the address', () => {
    const fault = new Error('something else');
    expect(listenFailure(fault, ADDRESS)).to.equal(fault);
  });
});
