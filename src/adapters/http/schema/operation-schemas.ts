import { PLAN_NAMES } from '../../../domain/billing/plan.js';
import { arrayOf, closed, integer, orNull, type Properties, ref, text } from './json-schema.js';
import { writtenMoment } from './moment-schemas.js';

/** 100 years: enough for every test, and far from the end of the calendar. */
const MAX_ADVANCE_SECONDS = 3_155_760_000;

export const operationSchemas: Properties = {
  Liveness: closed({ status: { const: 'alive' } }),
  Readiness: closed({
    status: { enum: ['ready', 'degraded', 'not_ready'] },
    parts: arrayOf(ref('PartState')),
  }),
  PartState: closed({ part: text, state: { enum: ['up', 'degraded', 'down'] }, words: text }),
  Status: closed({
    status: { enum: ['up', 'degraded', 'down'] },
    feed: closed({
      head: orNull(writtenMoment),
      age_seconds: orNull({ type: 'integer', minimum: 0 }),
      position: orNull(text),
    }),
    streams: closed({ open: integer }),
    parts: arrayOf(closed({ part: text, state: { enum: ['up', 'degraded', 'down'] } })),
  }),
  Usage: closed({
    key_id: text,
    plan: { enum: PLAN_NAMES },
    limits: arrayOf(ref('UsedLimit')),
  }),
  UsedLimit: closed({
    name: text,
    quota: integer,
    seconds: integer,
    used: integer,
    remaining: integer,
    resets_at: writtenMoment,
  }),
  TestClock: closed({ now: writtenMoment }),
  ClockAdvance: closed({
    advance_seconds: { type: 'number', minimum: 0, maximum: MAX_ADVANCE_SECONDS },
  }),
};
