import { createHash, timingSafeEqual } from 'node:crypto';
import type { CountWrongToken } from '../../../application/limits/count-wrong-token.js';
import { WRONG_TOKENS_FROM_ADDRESS } from '../../../domain/limits/attempt.js';
import type { Role, Tokens } from '../../../domain/sign-in/internal-tokens.js';
import { answerProblem, answerRefusal } from '../answer/problem.js';
import { addressGroup } from '../listener/client-address.js';
import type { Middleware } from '../state.js';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Admits some roles (D30). Answers 401 to a missing token and 403 to a token of another role. Answers 401 to a wrong
 * token, and 429 after too many wrong tokens from one address. Valid tokens are never counted.
 */
export const onlyFor =
  (admitted: readonly Role[], tokens: Tokens, countWrongToken: CountWrongToken): Middleware =>
  async (ctx, next) => {
    const [, sent] = /^bearer +(\S+)$/i.exec(ctx.get('Authorization')) ?? [];
    const roles = sent === undefined ? [] : rolesOf(sent, tokens);
    if (roles.some((role) => admitted.includes(role))) return next();
    if (roles.length > 0) return answerProblem(ctx, 'forbidden');
    const wait = sent === undefined ? null : await countWrongToken(addressGroup(ctx.state.address));
    if (wait !== null) {
      const violated = [WRONG_TOKENS_FROM_ADDRESS.name];
      return answerRefusal(ctx, { refused: 'rate_limited', violated, retryAfterSeconds: wait });
    }
    ctx.set('WWW-Authenticate', 'Bearer realm="oddswire-internal"');
    answerProblem(ctx, 'unauthorized');
  };

/** Compares with every token in constant time. */
const rolesOf = (sent: string, tokens: Tokens): readonly Role[] =>
  (['operator', 'publisher'] as const).filter((role) => timingSafeEqual(digest(sent), digest(tokens[role])));
