import type { SignInByProvider } from '../../../application/sign-in/sign-in-by-provider.js';
import { SECOND } from '../../../domain/moment.js';
import { FLOW_LIFETIME } from '../../../domain/sign-in/sign-in.js';
import { isOwnLink } from '../form.js';
import { answerError, answerTooMany, answerTooManyAccounts } from '../page/error-page.js';
import type { PageRoute } from '../page-router.js';
import { goTo, type Handler } from '../state.js';
import type { SignInOptions } from './sign-in-options.js';

export type ProviderFlow = Pick<SignInByProvider, 'begin' | 'complete'>;

/** Sends the browser to an identity provider and handles its callback. */
export function providerRoutes(byProvider: ProviderFlow, signInOptions: SignInOptions): readonly PageRoute[] {
  const { audience, cookies, signInPath } = signInOptions;

  const begin: Handler = async (ctx) => {
    // Another site could otherwise use up the attempts of its visitors.
    if (!isOwnLink(ctx)) return goTo(ctx, signInPath);
    const begun = await byProvider.begin(ctx.params['provider'] ?? '', audience, signInOptions.clientOf(ctx));
    if (begun === null) return answerError(ctx, 'not found');
    if (begun.outcome === 'too many') return answerTooMany(ctx, begun.retryAfterSeconds);
    cookies.write(ctx, 'flow', begun.secret, FLOW_LIFETIME / SECOND);
    return goTo(ctx, begun.url);
  };

  const complete: Handler = async (ctx) => {
    const at = { provider: ctx.params['provider'] ?? '', audience, query: ctx.querystring };
    const brought = { secret: cookies.read(ctx, 'flow'), previous: signInOptions.previous(ctx) };
    const answer = await byProvider.complete(at, brought, signInOptions.clientOf(ctx));
    if (typeof answer === 'string') return signInOptions.fail(ctx, answer);
    return 'refused' in answer ? answerTooManyAccounts(ctx, answer) : signInOptions.welcome(ctx, answer);
  };

  return [
    { path: `${signInPath}/:provider`, GET: begin },
    { path: `${signInPath}/:provider/callback`, GET: complete },
  ];
}
