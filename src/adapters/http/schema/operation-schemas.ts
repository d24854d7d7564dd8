import { PLAN_NAMES } from '../../../domain/billing/plan.js';
import { STATUS_CLASSES } from '../../../domain/limits/usage.js';
import {
  arrayOf,
  closed,
  described,
  integer,
  orNull,
  type Properties,
  ref,
  text,
  url,
} from './json-schema.js';
import { writtenMoment } from './moment-schemas.js';
import { writtenPosition } from './position-schemas.js';

/** 100 years: enough for every test, and far from the end of the calendar. */
const MAX_ADVANCE_SECONDS = 3_155_760_000;

const dependencyState = described({ enum: ['up', 'degraded', 'down'] }, 'Whether it works.');
const part = described(text, 'The part of the service, or the server that it uses.');

/** Answers about the service itself, and the calls of the test clock. */
export const operationSchemas: Properties = {
  Index: closed({
    name: described(text, 'The name of the service.'),
    version: described(text, 'The version of the service.'),
    description: described(text, 'What the service does, in a sentence.'),
    links: described(
      closed({
        feed: described(url, 'The pages of the feed. Needs a key.'),
        stream: described(url, 'The live stream. Needs a key.'),
        changes: described(url, 'The next changes, as one answer. Needs a key.'),
        history: described(url, 'Every change of the feed. Needs a key.'),
        markets: described(url, 'The markets of the feed. Needs a key.'),
        usage: described(url, 'Plan and limits of a key. Needs a key.'),
        mcp: described(url, 'The tools for agents, over MCP. Needs a key as a bearer token.'),
        status: described(url, 'The state of the service.'),
        openapi: described(url, 'The OpenAPI document.'),
        documentation: described(url, 'The documentation for people.'),
        llms: described(url, 'The documentation for language models, as Markdown.'),
        dashboard: described(url, 'Where customers create keys.'),
      }),
      'The addresses of the service.',
    ),
    clients: described(
      arrayOf(
        closed({
          language: described(text, 'The programming language.'),
          url: described(url, 'The package. Needs no key.'),
          sha256: described(text, 'The SHA-256 of the package, in hexadecimal digits.'),
          install: described(text, 'The command that installs it.'),
        }),
      ),
      'The clients of the API, as packages to install.',
    ),
  }),
  Liveness: closed({ status: described({ const: 'alive' }, 'The process runs.') }),
  Readiness: closed({
    status: described(
      { enum: ['ready', 'degraded', 'not_ready'] },
      'Whether the instance takes requests; `degraded`: with something missing.',
    ),
    parts: described(arrayOf(ref('PartState')), 'The state of each part.'),
  }),
  PartState: closed({
    part,
    state: dependencyState,
    words: described(text, 'What is the matter, for operators.'),
  }),
  Status: closed({
    status: described({ enum: ['up', 'degraded', 'down'] }, 'The worst state of all parts.'),
    feed: described(
      closed({
        head: described(
          orNull(writtenMoment),
          'The latest scored_at ever assigned. Null while the feed is empty.',
        ),
        age_seconds: described(
          orNull({ type: 'integer', minimum: 0 }),
          'The time since the head, in seconds. Null while the feed is empty.',
        ),
        position: described(orNull(writtenPosition), 'The position of the feed that this instance serves.'),
      }),
      'How recent the feed is.',
    ),
    streams: described(
      closed({ open: described(integer, 'The open streams of this instance.') }),
      'The live streams.',
    ),
    parts: described(arrayOf(closed({ part, state: dependencyState })), 'The state of each part.'),
  }),
  Usage: closed({
    key_id: described(text, 'The id of the key that was sent.'),
    plan: described({ enum: PLAN_NAMES }, 'The plan of its subscription.'),
    limits: described(arrayOf(ref('UsedLimit')), 'The limits, which all keys of the subscription share.'),
  }),
  UsedLimit: closed({
    name: described(text, 'The name of the limit, as in the `RateLimit` headers.'),
    quota: described(integer, 'The requests that are allowed in one window.'),
    seconds: described(integer, 'The length of the window, in seconds.'),
    used: described(integer, 'The requests of the current window.'),
    remaining: described(integer, 'The requests that are left in the current window.'),
    resets_at: described(writtenMoment, 'The end of the current window, in UTC.'),
  }),
  UsageHistory: closed({
    since: described(writtenMoment, 'The first hour, in UTC. Earlier ones are left out.'),
    hours: described(arrayOf(ref('HourlyUsage')), 'The hours with requests, oldest first.'),
  }),
  HourlyUsage: closed({
    hour: described(writtenMoment, 'The start of the hour, in UTC.'),
    key_id: described(text, 'The id of the key.'),
    requests: described(
      closed(
        Object.fromEntries(
          STATUS_CLASSES.map((each) => [
            each,
            described(integer, `The requests whose answer had a status ${each}.`),
          ]),
        ),
      ),
      'The requests by the class of their answer.',
    ),
  }),
  TestClock: closed({ now: described(writtenMoment, 'The time of the test clock, in UTC.') }),
  ClockAdvance: closed({
    advance_seconds: described(
      { type: 'number', minimum: 0, maximum: MAX_ADVANCE_SECONDS },
      'The seconds to add to the clock. It never goes back.',
    ),
  }),
};
