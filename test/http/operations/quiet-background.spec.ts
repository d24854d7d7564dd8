import { expect } from 'chai';
import { MemoryLeases } from '../../../src/adapters/memory/memory-leases.js';
import { Unwritable } from '../../../src/application/unavailable.js';
import { composed } from '../../support/service/composed.js';

const WARNING = 40;

describe('Background work while the store is read-only', () => {
  it('waits without a warning, because the state of the store was already logged', async () => {
    const refuse = () => Promise.reject(new Unwritable('Postgres', 'it is read-only'));
    const leases = new MemoryLeases();
    leases.acquire = refuse;
    const service = await composed({ LOG_LEVEL: 'debug' }, () => ({
      leases: () => leases,
      outbox: () => ({ queue: refuse, claim: refuse, close: refuse, putBack: refuse }),
    }));
    try {
      await service.line(({ msg }) => msg === 'reconciling payments waits for a dependency');
      await service.line(({ msg }) => msg === 'sending notices waits for a dependency');
      expect(service.lines.filter(({ level }) => Number(level) >= WARNING)).to.deep.equal([]);
    } finally {
      await service.stop();
    }
  });
});
