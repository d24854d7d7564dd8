import { expect } from 'chai';
import sinon from 'sinon';
import { SharedMessages } from '../../../src/adapters/fast-paths/shared-messages.js';
import { contentOf } from '../../../src/adapters/live/messages/content.js';
import { Message, type WireForm } from '../../../src/adapters/live/messages/message.js';
import { tokenIn } from '../../support/live/stored-changes.js';

const FORMS: readonly WireForm[] = ['sse', 'sse-gzip', 'ws', 'ws-deflate'];
const message = (type: 'item' | 'heartbeat', n: number) => new Message(type, tokenIn(n), contentOf({ n }));

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
});
