import { createHash, timingSafeEqual } from 'node:crypto';
import { answerProblem } from '../problem.js';
import type { Middleware } from '../state.js';

export type Role = 'operator' | 'publisher';
export type Tokens = Readonly<Record<Role, string>>;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Lets one role through (D30): no token is 401, another role's is 403. Tokens are compared in constant time. */
export const onlyFor =
  (role: Role, tokens: Tokens): Middleware =>
  async (ctx, next) => {
    const [, sent] = /^bearer +(\S+)$/i.exec(ctx.get('Authorization')) ?? [];
    const is = (other: Role) => sent !== undefined && timingSafeEqual(digest(sent), digest(tokens[other]));
    const [operator, publisher] = [is('operator'), is('publisher')];
    if (role === 'operator' ? operator : publisher) return next();
    ctx.set('Connection', 'close'); // A body that nobody will read may be on its way.
    if (operator || publisher) return answerProblem(ctx, 'forbidden');
    ctx.set('WWW-Authenticate', 'Bearer realm="oddswire-internal"');
    answerProblem(ctx, 'unauthorized');
  };
