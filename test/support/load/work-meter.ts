import { Session } from 'node:inspector';
import { stepsOf, UnknownExpression } from './regexp-steps.js';

/**
 * Measures the work of a function without a clock. The work is the number of JavaScript blocks run in our files, in
 * packages and in Node, plus the characters that built-in functions process, plus the steps of regular expressions. The
 * meter changes built-in objects, so it needs a separate process. Code to be measured must be loaded after it.
 */
export class WorkMeter {
  readonly #session = new Session();
  #isOn = false;
  #passed = 0;
  #unknown: UnknownExpression | null = null;

  constructor() {
    stepsOf(/^(?:a|[b-d]*?){1,2}(?=e)$/u, 'abe', 0); // Warm-up: code compiled here is not counted and stays fast.
    this.#session.connect();
    this.#post('Profiler.enable');
    this.#post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    this.#countMethods(String.prototype, STRING_COSTS);
    this.#countMethods(Array.prototype, ARRAY_COSTS);
    this.#countMethods(Buffer.prototype, { toString: ofResult, equals: ofReceiver, indexOf: ofReceiver });
    this.#countMethods(TextDecoder.prototype, { decode: ofResult });
    this.#countMethods(JSON, { parse: ofArgument, stringify: ofResult });
    this.#countMethods(Buffer, { from: ofArgument, concat: ofResult });
    this.#countMethods(URL, { canParse: ofArgument });
    this.#countMethods(globalThis, GLOBAL_COSTS);
    this.#countExpressions();
  }

  /** The total work of these calls, up to the error if one throws. Little other code may run meanwhile. */
  async workOf(calls: readonly (() => unknown)[]): Promise<number> {
    this.#passed = 0;
    this.#isOn = true;
    for (const call of calls) {
      try {
        await call();
      } catch {
        // The work of a refused text counts too.
      }
    }
    this.#isOn = false;
    if (this.#unknown !== null) throw this.#unknown;
    return this.#blocks() + this.#passed;
  }

  #blocks(): number {
    const { result } = this.#post('Profiler.takePreciseCoverage') as Coverage;
    const counted = result.filter(({ url }) => !UNCOUNTED.test(url));
    const counts = counted.flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges));
    return counts.reduce((sum, { count }) => sum + count, 0);
  }

  #post(method: string, params: object = {}): unknown {
    let answer: unknown;
    this.#session.post(method, params, (fault, result) => {
      if (fault !== null) throw fault;
      answer = result;
    });
    return answer;
  }

  #countMethods(owner: object, costs: Costs): void {
    for (const name of Reflect.ownKeys(costs)) {
      const [cost, method] = [costs[name], Reflect.get(owner, name) as (...args: unknown[]) => unknown];
      if (cost === undefined || method === undefined) throw new Error(`there is no ${String(name)}`);
      const meter = this;
      const counted = function (this: unknown, ...args: unknown[]): unknown {
        const result = Reflect.apply(method, this, args);
        if (meter.#isOn) meter.#passed += cost(this, args[0], result, args[1]);
        return result;
      };
      Object.defineProperty(owner, name, { value: counted, writable: true, configurable: true });
    }
  }

  /** After `exec` is replaced, all other methods of expressions and strings call it. */
  #countExpressions(): void {
    const { exec } = RegExp.prototype;
    const meter = this;
    RegExp.prototype.exec = function (this: RegExp, text: string): RegExpExecArray | null {
      if (meter.#isOn) meter.#passed += meter.#steps(this, String(text));
      return exec.call(this, text);
    };
  }

  #steps(expression: RegExp, text: string): number {
    this.#isOn = false;
    try {
      return stepsOf(expression, text, /[gy]/.test(expression.flags) ? expression.lastIndex : 0);
    } catch (fault) {
      if (!(fault instanceof UnknownExpression)) throw fault;
      this.#unknown = fault;
      return 0;
    } finally {
      this.#isOn = true;
    }
  }
}

type Coverage = {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
};

/** The meter and its driver are not counted. */
const UNCOUNTED = /work-meter|regexp-steps|measure-work|fast-check|node:inspector/;

type Costs = { readonly [name: string | symbol]: Cost };
type Cost = (receiver: unknown, argument: unknown, result: unknown, second: unknown) => number;

const lengthOf = (value: unknown): number =>
  typeof value === 'string' || Array.isArray(value) || value instanceof Uint8Array ? value.length : 1;
const ofReceiver: Cost = (receiver) => lengthOf(receiver);
const ofArgument: Cost = (_, argument) => lengthOf(argument);
const ofResult: Cost = (_, __, result) => lengthOf(result);
/** From the position at which a search began to that at which it ended. */
const ofSearch: Cost = (receiver, _, result, from) =>
  (result === -1 ? lengthOf(receiver) : Number(result) + 1) - Math.min(Number(from ?? 0), lengthOf(receiver));
const ofSort: Cost = (receiver) => lengthOf(receiver) * Math.ceil(Math.log2(lengthOf(receiver) + 2));

const all = (cost: Cost, names: string): Costs =>
  Object.fromEntries(names.split(' ').map((name) => [name, cost]));

const STRING_COSTS = {
  indexOf: ofSearch,
  ...all(ofReceiver, 'lastIndexOf includes split replaceAll trim trimStart trimEnd'),
  ...all(ofReceiver, 'toLowerCase toUpperCase normalize localeCompare isWellFormed toWellFormed'),
  ...all(ofResult, 'slice substring substr concat repeat padStart padEnd'),
  ...all(ofArgument, 'startsWith endsWith'),
  [Symbol.iterator]: ofReceiver,
};
const ARRAY_COSTS = {
  ...all(ofReceiver, 'indexOf lastIndexOf includes reverse toReversed shift unshift fill join splice'),
  ...all(ofReceiver, 'forEach map filter flatMap reduce reduceRight some every find findIndex findLast'),
  ...all(ofResult, 'slice concat flat'),
  ...all(ofSort, 'sort toSorted'),
  [Symbol.iterator]: ofReceiver,
};
const GLOBAL_COSTS = all(
  ofArgument,
  'decodeURIComponent encodeURIComponent decodeURI encodeURI parseInt parseFloat',
);
