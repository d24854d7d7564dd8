import type { Refusal } from '../../../domain/refusal.js';

/** `detail` of `position_expired`, if a replay was to begin too long ago. */
export const tooLongAgoText = (days: number): string =>
  `\`since\` may be at most ${days} ${days === 1 ? 'day' : 'days'} back. For older items, read the pages of /pm/v2/news, then open a stream after the \`Feed-Position\` of the first page.`;

/** `detail` of `rate_limited`. The problems of a stream are also messages, which have no header: the text has the seconds of `Retry-After`. */
export function rateLimitText({ violated, retryAfterSeconds }: Refusal<'rate_limited'>): string {
  const names = violated.map((name) => `\`${name}\``).join(' and ');
  const limits = violated.length === 1 ? `The limit ${names} is` : `The limits ${names} are`;
  return `${limits} used up. Try again in ${retryAfterSeconds} s.`;
}
