import { unknownSettings } from './unknown-settings.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads settings and collects every fault, so that all are reported together. An empty setting counts as absent. A fault
 * never contains the value of a secret.
 */
export class EnvironmentReader {
  readonly #environment: Environment;
  readonly #faults: string[] = [];
  /** The names of all settings: every name that was read. */
  readonly #names = new Set<string>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  get faults(): readonly string[] {
    return this.#faults;
  }

  /** A line for each variable that looks like a misspelt setting. Complete only after every setting was read. */
  get unknown(): readonly string[] {
    const variables = Object.keys(this.#environment).filter((name) => this.#environment[name]);
    return unknownSettings(variables, this.#names);
  }

  /** Registers names of settings without using their values. */
  register(...names: readonly string[]): void {
    for (const name of names) this.given(name);
  }

  given(name: string): string | undefined {
    this.#names.add(name);
    return this.#environment[name] || undefined;
  }

  whole(name: string, fallback: number, min: number, max: number): number {
    const value = this.given(name) ?? String(fallback);
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    return this.#wrong(name, `a whole number from ${min} to ${max}`, fallback);
  }

  flag(name: string, fallback: boolean): boolean {
    const value = this.given(name)?.toLowerCase() ?? String(fallback);
    if (value === '1' || value === 'true') return true;
    if (value === '0' || value === 'false') return false;
    return this.#wrong(name, '1 or 0', fallback);
  }

  oneOf<Choice extends string>(name: string, fallback: Choice, choices: readonly Choice[]): Choice {
    const value = this.given(name) ?? fallback;
    return (
      choices.find((choice) => choice === value) ??
      this.#wrong(name, `one of ${choices.join(', ')}`, fallback)
    );
  }

  matching(name: string, fallback: string, form: RegExp, description: string): string {
    const value = this.given(name) ?? fallback;
    return form.test(value) ? value : this.#wrong(name, description, fallback);
  }

  secret(name: string): string | undefined {
    const value = this.given(name);
    if (value === undefined || /^[\x21-\x7e]+$/.test(value)) return value;
    this.#faults.push(`${name} must be printable ASCII without spaces`);
    return undefined;
  }

  /** URLs with one of these schemes, separated by commas. They may contain passwords, so faults do not show them. */
  urls(
    name: string,
    schemes: readonly string[],
    urls: readonly string[] = this.given(name)?.split(',') ?? [],
  ): readonly string[] {
    const isValid = (url: string) =>
      URL.canParse(url) &&
      schemes.some((scheme) => url.startsWith(`${scheme}://`)) &&
      new URL(url).host !== '';
    if (!urls.every(isValid)) return this.#wrongUrl(name, schemes, urls.length > 1);
    if (urls.every(hasReadableCredentials)) return urls;
    this.#faults.push(
      `${name} must have a user name and a password that are percent-encoded: a “%” itself is written “%25”`,
    );
    return [];
  }

  #wrongUrl(name: string, schemes: readonly string[], areSeveral: boolean): readonly string[] {
    const several = areSeveral ? ', or several separated by commas' : '';
    this.#faults.push(`${name} must be a URL like ${schemes[0]}://host${several}`);
    return [];
  }

  /** The URL of a setting that accepts only one. */
  url(name: string, schemes: readonly string[]): string | undefined {
    const urls = this.urls(name, schemes);
    if (urls.length > 1) this.#faults.push(`${name} must be one URL`);
    return urls[0];
  }

  refuse(fault: string): void {
    this.#faults.push(fault);
  }

  #wrong<Value>(name: string, expected: string, fallback: Value): Value {
    this.#faults.push(`${name} must be ${expected}, but it is ${JSON.stringify(this.given(name))}`);
    return fallback;
  }
}

/** Clients decode both parts, and fail without the name of the setting if they cannot. */
function hasReadableCredentials(url: string): boolean {
  const { username, password } = new URL(url);
  try {
    decodeURIComponent(username);
    decodeURIComponent(password);
    return true;
  } catch {
    return false;
  }
}
