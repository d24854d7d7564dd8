import { expect } from 'chai';
import { EVERY_ROUTE } from '../../src/adapters/http/every-route.js';
import { bareContext } from '../support/service/middleware.js';

describe('A query string that is too long', () => {
  it('is left to Koa for its length, and not parsed to find a key in it (D14)', () => {
    const { req: request } = bareContext({});
    const long = `api_key=a&${'a'.repeat(4_096)}`;
    const concerned = [EVERY_ROUTE.queryKey(request, long), EVERY_ROUTE.queryLength(request, long)];
    expect(concerned).to.deep.equal([false, true]);
  });
});
