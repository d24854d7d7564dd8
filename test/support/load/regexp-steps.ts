/**
 * Counts the steps of a backtracking search, as the language defines it; V8 needs at most as many. A regular expression
 * runs here instruction by instruction. Only the number of steps matters, not the match.
 */

/** An instruction of a compiled expression: a character set, a choice, a lookahead, an assertion, or the end. */
type Instruction =
  | { readonly kind: 'set'; readonly has: (character: string) => boolean }
  | { readonly kind: 'split'; first: number; second: number }
  | { readonly kind: 'jump'; to: number }
  | { readonly kind: 'look'; readonly ahead: readonly Instruction[]; readonly isNegative: boolean }
  | { readonly kind: 'start' | 'end' | 'match' };

/** A parsed subexpression. `emit` appends its instructions. */
type Fragment = { readonly emit: (program: Instruction[]) => void; readonly isEmptyPossible: boolean };

/** The expression has syntax that `Parser` does not support. Its steps cannot be counted, so it must be simplified. */
export class UnknownExpression extends Error {
  override readonly name = 'UnknownExpression';
}

/** Enough to see that an expression is not linear. */
const STEPS_MAX = 4_000_000;

const compiled = new Map<string, readonly Instruction[]>();

const nativeExec = RegExp.prototype.exec;
const nativeTest = (pattern: RegExp, text: string): boolean => nativeExec.call(pattern, text) !== null;

/** The steps of one `exec` from `lastIndex`, over all positions where a match may begin. */
export function stepsOf({ source, flags }: RegExp, text: string, from: number): number {
  const name = `/${source}/${flags}`;
  const program = compiled.get(name) ?? new Parser(source, flags).program();
  compiled.set(name, program);
  const characters = charactersOf(text, flags.includes('u'));
  const isAnchored = flags.includes('y') || (program[0]?.kind === 'start' && !flags.includes('m'));
  let steps = 0;
  for (let start = from; start <= characters.length; start += 1) {
    const [taken, matched] = search(program, characters, start);
    steps += taken;
    if (matched || isAnchored || steps > STEPS_MAX) break;
  }
  return steps;
}

/** Caches the characters of the last text, because many expressions run on the same text. */
let last = { text: '', isUnicode: false, characters: [] as readonly string[] };

function charactersOf(text: string, isUnicode: boolean): readonly string[] {
  if (last.text !== text || last.isUnicode !== isUnicode) {
    last = { text, isUnicode, characters: isUnicode ? [...text] : text.split('') };
  }
  return last.characters;
}

function search(program: readonly Instruction[], text: readonly string[], start: number): [number, boolean] {
  const waiting: number[] = [0, start];
  let steps = 0;
  while (waiting.length > 0 && steps <= STEPS_MAX) {
    let at = waiting.pop() ?? 0;
    let pc = waiting.pop() ?? 0;
    for (;;) {
      steps += 1;
      const step = program[pc];
      if (step === undefined || step.kind === 'match') return [steps, true];
      if (step.kind === 'jump') pc = step.to;
      else if (step.kind === 'split') {
        waiting.push(step.second, at);
        pc = step.first;
      } else if (step.kind === 'set') {
        const character = text[at];
        if (character === undefined || !step.has(character)) break;
        at += 1;
        pc += 1;
      } else if (step.kind === 'look') {
        const [taken, isMatched] = search(step.ahead, text, at);
        steps += taken;
        if (isMatched === step.isNegative) break;
        pc += 1;
      } else {
        if (at !== (step.kind === 'start' ? 0 : text.length)) break;
        pc += 1;
      }
    }
  }
  return [steps, false];
}

/** Parses the syntax that our expressions and those of the libraries in a request's path use; refuses the rest. */
class Parser {
  readonly #source: string;
  readonly #flags: string;
  #at = 0;

  constructor(source: string, flags: string) {
    this.#source = source;
    this.#flags = flags;
  }

  program(): readonly Instruction[] {
    const program: Instruction[] = [];
    this.#choice().emit(program);
    if (this.#at < this.#source.length) this.#refuse();
    program.push({ kind: 'match' });
    return program;
  }

  #choice(): Fragment {
    const alternatives = [this.#sequence()];
    while (this.#takes('|')) alternatives.push(this.#sequence());
    return alternatives.reduceRight((rest, alternative) => ({
      isEmptyPossible: alternative.isEmptyPossible || rest.isEmptyPossible,
      emit: (program) => {
        const split = { kind: 'split' as const, first: program.length + 1, second: 0 };
        program.push(split);
        alternative.emit(program);
        const jump = { kind: 'jump' as const, to: 0 };
        program.push(jump);
        split.second = program.length;
        rest.emit(program);
        jump.to = program.length;
      },
    }));
  }

  #sequence(): Fragment {
    const parts: Fragment[] = [];
    while (this.#at < this.#source.length && !/[|)]/.test(this.#source.charAt(this.#at))) {
      parts.push(this.#repeated(this.#atom()));
    }
    return {
      isEmptyPossible: parts.every(({ isEmptyPossible }) => isEmptyPossible),
      emit: (program) => {
        for (const node of parts) node.emit(program);
      },
    };
  }

  #repeated(node: Fragment): Fragment {
    const [sign = '', least = '', comma = '', most = ''] = this.#match(/^(?:[*+?]|\{(\d+)(,?)(\d*)\})/) ?? [];
    if (sign === '') return node;
    const isLazy = this.#takes('?');
    const minimum = least === '' ? (sign === '+' ? 1 : 0) : Number(least);
    const maximum =
      sign === '?' ? 1 : most !== '' ? Number(most) : least !== '' && comma === '' ? minimum : null;
    if (maximum === null && node.isEmptyPossible) this.#refuse();
    return {
      isEmptyPossible: minimum === 0 || node.isEmptyPossible,
      emit: (program) => {
        for (let i = 0; i < minimum; i += 1) node.emit(program);
        if (maximum === null) loop(program, node, isLazy);
        else upTo(maximum - minimum, program, node, isLazy);
      },
    };
  }

  #atom(): Fragment {
    if (this.#takes('^')) return assertion('start');
    if (this.#takes('$')) return assertion('end');
    const [lookAhead] = this.#match(/^\(\?[=!]/) ?? [];
    if (lookAhead !== undefined) return this.#lookAhead(lookAhead === '(?!');
    if (this.#match(/^\((?:\?:|\?<\w+>|(?!\?))/) !== null) {
      const inner = this.#choice();
      if (!this.#takes(')')) this.#refuse();
      return inner;
    }
    const set = this.#match(
      /^(?:\[(?:\\.|[^\]\\])*\]|\\[pPu]\{[^}]*\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\[^bB1-9kpPux]|[^\\()[\]{}*+?|^$])/s,
    );
    if (set === null) return this.#refuse();
    const pattern = new RegExp(`^(?:${set[0]})$`, this.#flags.replace(/[^ius]/g, ''));
    const known = new Map<string, boolean>();
    const has = (character: string) => {
      const answer = known.get(character) ?? nativeTest(pattern, character);
      known.set(character, answer);
      return answer;
    };
    return { isEmptyPossible: false, emit: (program) => void program.push({ kind: 'set', has }) };
  }

  #lookAhead(isNegative: boolean): Fragment {
    const inner = this.#choice();
    if (!this.#takes(')')) this.#refuse();
    const ahead: Instruction[] = [];
    inner.emit(ahead);
    ahead.push({ kind: 'match' });
    return {
      isEmptyPossible: true,
      emit: (program) => void program.push({ kind: 'look', ahead, isNegative }),
    };
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    const found = nativeExec.call(pattern, this.#source.slice(this.#at));
    this.#at += found?.[0].length ?? 0;
    return found;
  }

  #takes(text: string): boolean {
    const isNext = this.#source.startsWith(text, this.#at);
    if (isNext) this.#at += text.length;
    return isNext;
  }

  #refuse(): never {
    throw new UnknownExpression(`/${this.#source}/${this.#flags}`);
  }
}

const assertion = (kind: 'start' | 'end'): Fragment => ({
  isEmptyPossible: true,
  emit: (program) => void program.push({ kind }),
});

function loop(program: Instruction[], node: Fragment, isLazy: boolean): void {
  const split = optionalSplit(program);
  const back = program.length - 1;
  node.emit(program);
  program.push({ kind: 'jump', to: back });
  close(split, program.length, isLazy);
}

/** Optional repetitions are nested: skipping one skips all that follow. */
function upTo(count: number, program: Instruction[], node: Fragment, isLazy: boolean): void {
  const splits: Split[] = [];
  for (let i = 0; i < count; i += 1) {
    splits.push(optionalSplit(program));
    node.emit(program);
  }
  for (const split of splits) close(split, program.length, isLazy);
}

type Split = Extract<Instruction, { kind: 'split' }>;

function optionalSplit(program: Instruction[]): Split {
  const split: Split = { kind: 'split', first: program.length + 1, second: 0 };
  program.push(split);
  return split;
}

/** A lazy quantifier tries the end first. */
function close(split: Split, end: number, isLazy: boolean): void {
  split.second = end;
  if (isLazy) [split.first, split.second] = [split.second, split.first];
}
