import { invalidOptions } from './errors.js';
import type { Options } from './options.js';

/** A key is one line of visible ASCII. Any other text would appear in the error of `fetch`. */
const KEY = /^[\x21-\x7e]+$/;

const isNumber =
  (min: number) =>
  (value: unknown): boolean =>
    typeof value === 'number' && value >= min;
const isFunction = (value: unknown): boolean => typeof value === 'function';

/** What each option must be that may be absent. JavaScript has no types to check it. */
const OPTIONAL = {
  retries: [isNumber(0), 'a number from 0'],
  timeoutMs: [isNumber(1), 'milliseconds from 1'],
  maxWaitMs: [isNumber(0), 'milliseconds from 0'],
  onRetry: [isFunction, 'a function'],
  fetch: [isFunction, 'a function'],
} as const satisfies Partial<Record<keyof Options, readonly [(value: unknown) => boolean, string]>>;

/** The address of the service and the key. Throws `invalid_options`, with the name of the option and without its value. */
export function checkOptions(options: Options): { readonly base: string; readonly key: string } {
  const { url, key, ...others } = options ?? {};
  const base = baseOf(url);
  if (typeof key !== 'string' || !KEY.test(key))
    throw invalidOptions(
      `\`key\` must be an API key${key ? ': visible ASCII characters' : ', and is missing'}.`,
    );
  for (const [name, [isValid, form]] of Object.entries(OPTIONAL)) {
    const value: unknown = others[name as keyof typeof OPTIONAL];
    if (value !== undefined && !isValid(value)) throw invalidOptions(`\`${name}\` must be ${form}.`);
  }
  return { base, key };
}

function baseOf(url: unknown): string {
  // The error of `new URL` contains its input.
  const parts = typeof url === 'string' && URL.canParse(url) ? new URL(url) : null;
  if (parts === null || !/^https?:$/.test(parts.protocol) || hasMore(parts))
    throw invalidOptions(
      '`url` must be an address such as https://api.example.com, without credentials, query and fragment.',
    );
  return parts.origin + parts.pathname.replace(/\/+$/, '');
}

const hasMore = ({ username, password, search, hash }: URL): boolean =>
  username + password + search + hash !== '';
