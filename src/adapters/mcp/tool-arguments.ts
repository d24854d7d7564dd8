import type { Fault } from '../../domain/refusal.js';
import { RESULT_ITEMS_MAX } from './tool-result.js';

/** One error in the arguments. `unknown_argument` is a kind that only tools have. */
export type ArgumentFault = Omit<Fault, 'code'> & { readonly code: Fault['code'] | 'unknown_argument' };

/** An argument of a tool: a text that becomes a parameter of a request, or the number of items. */
export type ToolArgument = { readonly kind: 'text' | 'count'; readonly isRequired: boolean };

export type ToolArguments = Readonly<Record<string, ToolArgument>>;

/** The values of the arguments that were given, by name. */
export type ReadArguments = { readonly texts: ReadonlyMap<string, string>; readonly count: number | null };

/** The most faults that are reported, and the longest name of an argument in a fault. */
const FAULTS_MAX = 20;
const NAME_LENGTH_MAX = 64;

/**
 * The arguments of a call of a tool, or all faults in them. Null is an absent argument, because models often fill what
 * they leave out with it. Only their form is checked: the request that a text becomes
 * part of is refused if the service does not take it.
 */
export function readArguments(known: ToolArguments, sent: unknown): ReadArguments | readonly ArgumentFault[] {
  if (!isObject(sent)) return [{ parameter: '', code: 'invalid_type', message: 'must be an object' }];
  const faults = [
    ...Object.entries(known).flatMap(([name, argument]) => faultsOf(name, argument, sent[name])),
    ...Object.keys(sent).flatMap((name) =>
      Object.hasOwn(known, name) ? [] : [unknownArgument(name, known)],
    ),
  ];
  if (faults.length > 0) return faults.slice(0, FAULTS_MAX);
  const given = Object.keys(known).map((name) => [name, sent[name]] as const);
  return {
    texts: new Map(given.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []))),
    count: given.map(([, value]) => value).find((value) => typeof value === 'number') ?? null,
  };
}

function faultsOf(parameter: string, { kind, isRequired }: ToolArgument, value: unknown): readonly Fault[] {
  if (value === undefined || value === null)
    return isRequired ? [{ parameter, code: 'missing', message: 'is missing' }] : [];
  if (kind === 'text')
    return typeof value === 'string'
      ? []
      : [{ parameter, code: 'invalid_type', message: 'must be a string' }];
  const isCount = Number.isInteger(value) && Number(value) >= 1 && Number(value) <= RESULT_ITEMS_MAX;
  const message = `must be an integer from 1 to ${RESULT_ITEMS_MAX}`;
  return isCount ? [] : [{ parameter, code: 'out_of_range', message }];
}

const unknownArgument = (name: string, known: ToolArguments): ArgumentFault => ({
  parameter: name.slice(0, NAME_LENGTH_MAX),
  code: 'unknown_argument',
  message: `is not an argument of this tool. Its arguments are: ${Object.keys(known).join(', ') || 'none'}`,
});

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
