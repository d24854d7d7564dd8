import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Handler, parameter } from './state.js';

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

const own = (file: string) => new URL(`./browser/${file}`, import.meta.url);
const ofPackage = (path: string) => createRequire(import.meta.url).resolve(path);

/** What pages load, all of it from the package: by the name it is served under. */
const FILES = {
  'dashboard.css': { from: own('dashboard.css'), type: STYLE },
  'icon.svg': { from: own('icon.svg'), type: 'image/svg+xml' },
  'copy.js': { from: own('copy.js'), type: SCRIPT },
  'countdown.js': { from: own('countdown.js'), type: SCRIPT },
  'live.js': { from: own('live.js'), type: SCRIPT },
  'chart.js': { from: own('chart.js'), type: SCRIPT },
  'uplot.js': { from: ofPackage('uplot/dist/uPlot.iife.min.js'), type: SCRIPT },
  'uplot.css': { from: ofPackage('uplot/dist/uPlot.min.css'), type: STYLE },
} as const;

export type AssetName = keyof typeof FILES;

type Asset = { readonly type: string; readonly bytes: Buffer; readonly version: string };

/** Read once, when the first page is put together. */
const assets = new Map<string, Asset>();

function asset(name: AssetName): Asset {
  const known = assets.get(name);
  if (known !== undefined) return known;
  const { from, type } = FILES[name];
  const bytes = readFileSync(from);
  const version = createHash('sha256').update(bytes).digest('base64url').slice(0, 12);
  const read = { type, bytes, version };
  assets.set(name, read);
  return read;
}

/** The address of an asset: another one whenever it changes, so that a browser may keep it for good. */
export const assetUrl = (name: AssetName): string => `/dashboard/assets/${name}?v=${asset(name).version}`;

const isAsset = (name: string): name is AssetName => Object.hasOwn(FILES, name);

/** GET /dashboard/assets/{name}; false where there is none of that name. */
export const getAsset =
  (notFound: Handler): Handler =>
  (ctx) => {
    const name = ctx.params['name'] ?? '';
    if (!isAsset(name)) return notFound(ctx);
    const { type, bytes, version } = asset(name);
    // While versions are rolled out an older one may be asked for what is not its own: nobody is to keep that.
    const isAsked = parameter(ctx, 'v') === version;
    ctx.set('Cache-Control', isAsked ? 'public, max-age=31536000, immutable' : 'no-store');
    ctx.type = type;
    ctx.body = bytes;
  };
