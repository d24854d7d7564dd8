import { expect } from 'chai';
import {
  type Batch,
  begun,
  type DeliveryId,
  delivered,
  isResetDue,
} from '../../../src/domain/destinations/destination.js';

const at = (n: number) => ({ n, mark: '00000000000000aa' });
const CHANGES: Batch = {
  id: 'msg_1' as DeliveryId,
  filter: '',
  content: 'changes',
  from: at(3),
  until: at(7),
};
const RESET: Batch = { id: 'msg_2' as DeliveryId, filter: '', content: 'reset', from: at(9), until: at(9) };
const IDLE = { position: at(3), batch: null, generation: 1 };

describe('The progress of a destination', () => {
  it('moves to the end of a batch when it was delivered, and not before', () => {
    const progress = begun(IDLE, CHANGES, 1);
    expect(progress).to.deep.equal({ ...IDLE, batch: CHANGES });
    expect(delivered(progress)).to.deep.equal({ ...IDLE, position: at(7) });
  });

  it('has a reset due until one was begun in this generation', () => {
    expect(isResetDue(IDLE, 1)).to.equal(false);
    expect(isResetDue(IDLE, 2)).to.equal(true);
    expect(isResetDue(begun(IDLE, CHANGES, 1), 2)).to.equal(true);
    const progress = begun(IDLE, RESET, 2);
    expect(isResetDue(progress, 2)).to.equal(false);
    expect(delivered(progress)).to.deep.equal({ position: at(9), batch: null, generation: 2 });
    // The feed returned to an older state again meanwhile.
    expect(isResetDue(delivered(progress), 3)).to.equal(true);
  });
});
