import { readFileSync } from 'node:fs';
import { PLAN_NAMES, PLANS, type Plan, type PlanName, type Plans, planOf } from '../domain/billing/plan.js';
import type { EnvironmentReader } from './environment.js';

type Fields = Readonly<Record<string, unknown>>;
/** What a plan has in the file. Null for no valid value. */
type Read<Value> = (value: unknown) => Value | null;

const TEXT_MAX = 100;
const REQUESTS_MAX = 1_000_000_000;
const STREAMS_MAX = 100_000;
const KEYS_MAX = 100;
const DESTINATIONS_MAX = 1_000;

const text: Read<string> = (value) =>
  typeof value === 'string' && value !== '' && value.length <= TEXT_MAX ? value : null;
const whole =
  (max: number): Read<number> =>
  (value) =>
    Number.isInteger(value) && Number(value) >= 1 && Number(value) <= max ? Number(value) : null;

/** The fields of a plan in the file: the property that each replaces, its values, and what they are. */
const FIELDS = {
  title: { of: 'title', read: text, is: `a text of 1 to ${TEXT_MAX} characters` },
  price: { of: 'price', read: text, is: `a text of 1 to ${TEXT_MAX} characters` },
  keys: { of: 'keys', read: whole(KEYS_MAX), is: `a whole number from 1 to ${KEYS_MAX}` },
  requests_per_minute: {
    of: 'requestsPerMinute',
    read: whole(REQUESTS_MAX),
    is: `a whole number from 1 to ${REQUESTS_MAX}`,
  },
  requests_per_day: {
    of: 'requestsPerDay',
    read: whole(REQUESTS_MAX),
    is: `a whole number from 1 to ${REQUESTS_MAX}`,
  },
  streams: { of: 'streams', read: whole(STREAMS_MAX), is: `a whole number from 1 to ${STREAMS_MAX}` },
  destinations: {
    of: 'destinations',
    read: whole(DESTINATIONS_MAX),
    is: `a whole number from 1 to ${DESTINATIONS_MAX}`,
  },
} as const satisfies Readonly<
  Record<string, { readonly of: keyof Plan; readonly read: Read<string | number>; readonly is: string }>
>;

/**
 * The plans (contract section 8, D34, D51): by default `PLANS`, then what the file of `PLANS_FILE` replaces, then the settings
 * of single limits.
 */
export function readPlans(read: EnvironmentReader): Plans {
  const file = read.given('PLANS_FILE');
  const plans = file === undefined ? PLANS : plansOfFile(file, read);
  const plan = (name: PlanName): Plan => {
    const known = plans[name];
    const suffix = name.toUpperCase();
    const setting = `RATE_LIMIT_${suffix}`;
    return {
      ...known,
      requestsPerMinute: read.whole(`${setting}_MINUTE`, known.requestsPerMinute, 1, REQUESTS_MAX),
      requestsPerDay: read.whole(`${setting}_DAY`, known.requestsPerDay, 1, REQUESTS_MAX),
      streams: read.whole(`STREAMS_${suffix}`, known.streams, 1, STREAMS_MAX),
      destinations: read.whole(`DESTINATIONS_${suffix}`, known.destinations, 1, DESTINATIONS_MAX),
    };
  };
  return Object.fromEntries(PLAN_NAMES.map((name) => [name, plan(name)])) as Plans;
}

function plansOfFile(file: string, read: EnvironmentReader): Plans {
  const refuse = (fault: string) => read.refuse(`PLANS_FILE (${file}) ${fault}`);
  const rows = objectIn(file);
  if (typeof rows === 'string') {
    refuse(rows);
    return PLANS;
  }
  for (const name of Object.keys(rows))
    if (planOf(PLANS, name as PlanName) === undefined)
      refuse(`names the plan ${name}; plans are ${PLAN_NAMES.join(', ')}`);
  const replaced = PLAN_NAMES.map((name) => [
    name,
    { ...PLANS[name], ...replacing(name, rows[name], refuse) },
  ]);
  return Object.fromEntries(replaced) as Plans;
}

/** The object of a JSON file, or what is wrong with the file. */
function objectIn(file: string): Fields | string {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isObject(value) ? value : 'must have an object with a member for each plan that it changes';
  } catch (fault) {
    return `cannot be read: ${fault instanceof Error ? fault.message : fault}`;
  }
}

function replacing(name: PlanName, row: unknown, refuse: (fault: string) => void): Partial<Plan> {
  if (row === undefined) return {};
  if (!isObject(row)) {
    refuse(`must have an object for the plan ${name}`);
    return {};
  }
  const replaced = Object.entries(row).flatMap(([field, value]) => {
    if (!isField(field)) {
      refuse(`has the field ${name}.${field}; fields are ${Object.keys(FIELDS).join(', ')}`);
      return [];
    }
    const { of, read, is } = FIELDS[field];
    const valid = read(value);
    if (valid === null) refuse(`must have ${is} as ${name}.${field}`);
    return valid === null ? [] : [[of, valid]];
  });
  return Object.fromEntries(replaced);
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isField = (name: string): name is keyof typeof FIELDS => Object.hasOwn(FIELDS, name);
