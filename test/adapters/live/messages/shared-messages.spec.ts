import { expect } from 'chai';
import sinon from 'sinon';
import { contentOf } from '../../../../src/adapters/live/messages/content.js';
import { Message, type WireForm } from '../../../../src/adapters/live/messages/message.js';
import { SharedMessages } from '../../../../src/adapters/live/messages/shared-messages.js';
import { positionIn } from '../../../support/live/stored-changes.js';

const FORMS: readonly WireForm[] = ['sse', 'sse-gzip', 'ws', 'ws-deflate'];
const message = (type: 'item' | 'heartbeat', n: number) => new Message(type, positionIn(n), contentOf({ n }));

describe('Messages that many streams are sent', () => {
  for (const form of FORMS)
    it(`have one frame with those of all messages, which is made once (${form})`, () => {
      const messages = [message('item', 1), message('item', 2), message('heartbeat', 2)];
      const frames = messages.map((each) => each.frame(form));
      const frame = sinon.spy(messages[0] as Message, 'frame');
      const shared = new SharedMessages(messages);
      expect(shared.frame(form)).to.deep.equal(Buffer.concat(frames));
      expect(shared.frame(form)).to.equal(shared.frame(form));
      expect(frame.callCount).to.equal(1);
    });

  it('have the frame of a single message without a copy', () => {
    const only = message('item', 1);
    expect(new SharedMessages([only]).frame('ws')).to.equal(only.frame('ws'));
  });

  it('have the ping of the heartbeat that ends them', () => {
    const heartbeat = message('heartbeat', 1);
    expect(new SharedMessages([message('item', 1), heartbeat]).ping).to.equal(heartbeat.ping);
    expect(new SharedMessages([message('item', 1)]).ping).to.equal(null);
    expect(new SharedMessages([]).ping).to.equal(null);
  });
});
