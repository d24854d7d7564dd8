import { expect } from 'chai';
import { restApi } from '../../../src/adapters/mcp/rest-api.js';
import { stdioCommand } from '../../../src/adapters/mcp/stdio-command.js';
import { failedAnswer } from '../../../src/adapters/mcp/tool-error.js';

const KEY = 'svc_secret';

const api = (answer: () => Response | Promise<Response>) => {
  const asked: { url: string; init: RequestInit | undefined }[] = [];
  const fetching: typeof fetch = async (url, init) => {
    asked.push({ url: String(url), init });
    return answer();
  };
  return { asked, call: restApi({ url: 'https://api.oddswire.test', key: KEY, fetch: fetching }) };
};

describe('The REST API behind the tools over standard input and output', () => {
  it('gets the key as a header, and follows no redirect with it', async () => {
    const { asked, call } = api(() =>
      Response.json({}, { headers: { 'Feed-Position': 'p', 'Retry-After': '3' } }),
    );
    const answer = await call('/pm/v2/news', 'limit=1');
    expect(answer).to.deep.equal({ status: 200, json: {}, feedPosition: 'p', retryAfterSeconds: 3 });
    const [{ url, init } = { url: '', init: {} }] = asked;
    expect(url).to.equal('https://api.oddswire.test/pm/v2/news?limit=1');
    expect(init).to.deep.include({ redirect: 'error' });
    expect(init?.headers).to.deep.equal({ Authorization: `Bearer ${KEY}`, Accept: 'application/json' });
  });

  it('is unavailable while an instance of an earlier version answers, which ignores a filter', async () => {
    const feed = (filters: Record<string, string>) =>
      api(() => Response.json({ items: [] }, { headers: filters }));
    const ignored = await feed({}).call('/pm/v2/news', 'q=word&limit=1');
    const { code, detail } = failedAnswer(ignored);
    expect([code, detail]).to.deep.equal(['unavailable', 'An instance of an earlier version ignored q.']);
    expect((await feed({ 'Feed-Filters': 'q' }).call('/pm/v2/news', 'q=word')).status).to.equal(200);
    expect((await feed({}).call('/pm/v2/markets', 'q=word')).status).to.equal(200);
  });

  for (const { title, answer } of [
    { title: 'a failed connection', answer: () => Promise.reject(new Error(`refused ${KEY}`)) },
    { title: 'a page of a proxy', answer: () => new Response('<html>', { status: 502 }) },
    {
      title: 'an answer that is cut',
      answer: () => new Response('{"items":[', { headers: { 'Content-Type': 'application/json' } }),
    },
  ]) {
    it(`is unreachable after ${title}, without a word of the key`, async () => {
      const error = failedAnswer(await api(answer).call('/pm/v2/usage', ''));
      expect(error.code).to.equal('unreachable');
      expect(error.what_to_do).to.include('user');
      expect(JSON.stringify(error)).not.to.include(KEY);
    });
  }
});

describe('npm run mcp', () => {
  const run = async (environment: Record<string, string>, ...args: readonly string[]) => {
    let printed = '';
    const print = (text: string) => {
      printed += text;
    };
    return [
      await stdioCommand({ command: 'oddswire mcp', args, environment, print, version: '0' }),
      printed,
    ] as const;
  };

  it('explains itself with --help', async () => {
    const [code, printed] = await run({}, '--help');
    expect([code, printed.includes('ODDSWIRE_KEY')]).to.deep.equal([0, true]);
  });

  for (const { title, environment, named } of [
    { title: 'no key', environment: {}, named: 'ODDSWIRE_KEY' },
    { title: 'a key with a line break', environment: { ODDSWIRE_KEY: `${KEY}\nx` }, named: 'ODDSWIRE_KEY' },
    ...['localhost', 'ftp://x', 'http://a@b', 'http://x/path'].map((url) => ({
      title: `the address ${url}`,
      environment: { ODDSWIRE_KEY: KEY, ODDSWIRE_URL: url },
      named: 'ODDSWIRE_URL',
    })),
  ]) {
    it(`refuses to start with ${title}, and names the setting`, async () => {
      const [code, printed] = await run(environment);
      expect(code).to.equal(1);
      expect(printed).to.include(named).and.not.include(KEY);
    });
  }
});
