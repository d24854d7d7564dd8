import { expect } from 'chai';
import { UnansweredPings } from '../../../../src/adapters/live/connections/unanswered-pings.js';
import { nextImmediate } from '../../../support/next-immediate.js';

describe('The unanswered pings of a WebSocket', () => {
  const first = Buffer.from('a');
  const second = Buffer.from('b');
  const third = Buffer.from('c');
  const opened = () => {
    const seen = { closed: 0 };
    const pings = new UnansweredPings({
      terminate: () => {
        seen.closed += 1;
      },
    });
    return { seen, pings };
  };
  const inputsRead = async () => {
    for (let i = 0; i < 4; i += 1) await nextImmediate();
  };

  it('close the connection when a third one is due, and not before (D55)', async () => {
    const { seen, pings } = opened();
    for (const content of [first, second]) pings.sent(content);
    await inputsRead();
    expect([seen.closed, pings.areTooMany]).to.deep.equal([0, false]);
    for (const content of [third, third]) pings.sent(content);
    await inputsRead();
    expect([seen.closed, pings.areTooMany]).to.deep.equal([1, true]);
  });

  it('are all answered by the answer to any of them, also if it is read only when the third is due', async () => {
    const { seen, pings } = opened();
    for (const content of [first, second, third]) pings.sent(content);
    expect([
      pings.answered(Buffer.from('none')),
      pings.answered(second),
      pings.answered(first),
    ]).to.deep.equal([...[false, true, false]]);
    await inputsRead();
    expect(seen.closed).to.equal(0);
  });
});
