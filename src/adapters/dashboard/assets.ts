import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Handler, parameter } from './state.js';

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

const own = (file: string) => new URL(`./browser/${file}`, import.meta.url);
const ofPackage = (path: string) => createRequire(import.meta.url).resolve(path);

/** The files that pages load, by the name under which they are served. */
const FILES = {
  'tokens.css': { from: own('tokens.css'), type: STYLE },
  'dashboard.css': { from: own('dashboard.css'), type: STYLE },
  'console.css': { from: own('console.css'), type: STYLE },
  'reference.css': { from: own('reference.css'), type: STYLE },
  'inter.woff2': { from: own('inter.woff2'), type: 'font/woff2' },
  'front.css': { from: own('front.css'), type: STYLE },
  'icon.svg': { from: own('icon.svg'), type: 'image/svg+xml' },
  'copy.js': { from: own('copy.js'), type: SCRIPT },
  'countdown.js': { from: own('countdown.js'), type: SCRIPT },
  'language-tabs.js': { from: own('language-tabs.js'), type: SCRIPT },
  'try-it.js': { from: own('try-it.js'), type: SCRIPT },
  'market-suggestions.js': { from: own('market-suggestions.js'), type: SCRIPT },
  'submit-on-change.js': { from: own('submit-on-change.js'), type: SCRIPT },
  'feed.js': { from: own('feed.js'), type: SCRIPT },
  'first-request.js': { from: own('first-request.js'), type: SCRIPT },
  'live.js': { from: own('live.js'), type: SCRIPT },
  'request-log.js': { from: own('request-log.js'), type: SCRIPT },
  'newest.js': { from: own('newest.js'), type: SCRIPT },
  'chart.js': { from: own('chart.js'), type: SCRIPT },
  'uplot.js': { from: ofPackage('uplot/dist/uPlot.iife.min.js'), type: SCRIPT },
  'uplot.css': { from: ofPackage('uplot/dist/uPlot.min.css'), type: STYLE },
} as const;

export type AssetName = keyof typeof FILES;

type Asset = { readonly type: string; readonly bytes: Buffer; readonly version: string };

/** Each file is read once, when a page first needs it. */
const assets = new Map<string, Asset>();

function asset(name: AssetName): Asset {
  const known = assets.get(name);
  if (known !== undefined) return known;
  const { from, type } = FILES[name];
  const bytes = type === STYLE ? withFont(readFileSync(from, 'utf8')) : readFileSync(from);
  const version = createHash('sha256').update(bytes).digest('base64url').slice(0, 12);
  const read = { type, bytes, version };
  assets.set(name, read);
  return read;
}

/** A style names the font as a file beside it. The address gets the version of the font. */
const withFont = (style: string): Buffer =>
  Buffer.from(style.replace(/\binter\.woff2\b/, (name) => `${name}?v=${asset('inter.woff2').version}`));

/** The address of an asset. It changes with the content, so browsers may cache it forever. */
export const assetUrl = (name: AssetName, under = '/dashboard/assets'): string =>
  `${under}/${name}?v=${asset(name).version}`;

export const assetBytes = (name: AssetName): Buffer => asset(name).bytes;

const isAsset = (name: string): name is AssetName => Object.hasOwn(FILES, name);

/** GET /dashboard/assets/{name} */
export const getAsset =
  (notFound: Handler): Handler =>
  (ctx) => {
    const name = ctx.params['name'] ?? '';
    if (!isAsset(name)) return notFound(ctx);
    const { type, bytes, version } = asset(name);
    // During a rollout an instance may be asked for an asset of another version: that answer must not be cached.
    const isThisVersion = parameter(ctx, 'v') === version;
    ctx.set('Cache-Control', isThisVersion ? 'public, max-age=31536000, immutable' : 'no-store');
    ctx.type = type;
    ctx.body = bytes;
  };
