import { expect } from 'chai';
import { adviceOn } from '../../../src/adapters/mcp/tool-advice.js';

describe('The advice on an error', () => {
  it('says for each code what an agent can do', () => {
    expect(adviceOn('invalid_parameter')).to.include('`errors`');
    expect(adviceOn('rate_limited')).to.include('`retry_after_seconds`');
    expect(adviceOn('position_expired')).to.include('`feed_position`');
    expect(adviceOn('unavailable')).to.include('repeat the call');
  });

  it('is to tell the user, for keys and for codes that it does not know', () => {
    for (const code of ['key_revoked', 'payment_required', 'some_new_code', 'constructor', '']) {
      expect(adviceOn(code), code).to.include('Do not repeat the call');
    }
  });
});
