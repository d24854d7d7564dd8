import { expect } from 'chai';
import { fakeStreams } from '../../../support/live/fake-streams.js';
import { eventStream } from '../../../support/live/stream-callers.js';
import { bearer, composed, keyHolder } from '../../../support/service/composed.js';

describe('An event stream', () => {
  const streams = fakeStreams();

  describe('while the service stops', () => {
    it('is not opened and not answered; open ones end before the service does (D54)', async () => {
      const stopping = await composed({}, streams.replace);
      const { value } = await keyHolder(stopping);
      const next = streams.next();
      const caller = await eventStream(stopping, bearer(value));
      const stream = await next;
      stopping.parts.lifecycle.drain();
      const refused = await eventStream(stopping, bearer(value)).then(
        () => 'answered',
        (fault: unknown) => (fault as { readonly code?: string }).code,
      );
      expect(refused).to.equal('ECONNRESET');
      const stopped = stopping.stop();
      stream.end('restart', 2_000);
      expect(await caller.ended).to.equal(true);
      expect(caller.text()).to.include('retry: 2000');
      await stopped;
    });
  });
});
