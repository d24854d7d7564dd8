import { setting } from './setting.mjs';

const KEYS = setting('KEYS', 2_000);
const PAGE_OF_50 = '/pm/v2/news?limit=50';
const PAGE_OF_1 = '/pm/v2/news?limit=1';

/** The headers of a script's request in Chromium; `load.mjs` and wrk add the 14th, `Host`. */
const BROWSER_HEADERS = {
  Connection: 'keep-alive',
  'sec-ch-ua-platform': '"Linux"',
  'User-Agent':
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36',
  Accept: '*/*',
  'sec-ch-ua': '"Chromium";v="147", "Not.A/Brand";v="24"',
  'sec-ch-ua-mobile': '?0',
  Origin: 'https://terminal.example.com',
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Mode': 'cors',
  'Sec-Fetch-Dest': 'empty',
  Referer: 'https://terminal.example.com/',
  'Accept-Encoding': 'gzip',
  'Accept-Language': 'en-GB,en;q=0.9',
};

/**
 * The rows of `npm run bench`. `headers` are sent in addition to the key. `keys`: the number of keys that are sent in turn.
 * `isUnchanged`: the client sends the ETag of the page and receives 304.
 */
export const CASES = [
  { name: 'identity, 50 items', path: PAGE_OF_50, headers: { 'Accept-Encoding': 'identity' } },
  { name: 'gzip, 50 items', path: PAGE_OF_50, headers: { 'Accept-Encoding': 'gzip' } },
  { name: 'identity, 1 item', path: PAGE_OF_1, headers: { 'Accept-Encoding': 'identity' } },
  { name: 'gzip, 1 item', path: PAGE_OF_1, headers: { 'Accept-Encoding': 'gzip' } },
  { name: 'gzip, 50 items, 14 headers of a browser', path: PAGE_OF_50, headers: BROWSER_HEADERS },
  { name: 'If-None-Match, 304', path: PAGE_OF_50, headers: { 'Accept-Encoding': 'gzip' }, isUnchanged: true },
  {
    name: `gzip, 50 items, ${KEYS.toLocaleString('en').replace(',', ' ')} keys in turn`,
    path: PAGE_OF_50,
    headers: { 'Accept-Encoding': 'gzip' },
    keys: KEYS,
  },
].map((row) => ({ keys: 1, isUnchanged: false, ...row }));

export const KEYS_MAX = Math.max(...CASES.map(({ keys }) => keys));
