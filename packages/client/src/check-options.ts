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
    throw invalidOptions('`key` must be an API key: visible ASCII characters.');
  for (const [name, [isValid, form]] of Object.entries(OPTIONAL)) {
    const value: unknown = others[name as keyof typeof OPTIONAL];
    if (value !== undefined && !isValid(value)) throw invalidOptions(`\`${name}\` must be ${form}.`);
  }
  return { base, key };
}

function baseOf(url: unknown): string {
  // The error of `new URL` contains its input.
  if (typeof url !== 'string' || !URL.canParse(url))
    throw invalidOptions('`url` must be an address such as https://api.example.com.');
  const { protocol, username, password, search, hash, origin, pathname } = new URL(url);
  if (!/^https?:$/.test(protocol) || username + password + search + hash !== '')
    throw invalidOptions('`url` must be an http(s) address without credentials, query and fragment.');
  return origin + pathname.replace(/\/+$/, '');
}
