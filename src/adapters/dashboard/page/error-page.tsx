import type { Refusal } from '../../../domain/refusal.js';
import type { Context } from '../state.js';
import { answerPage } from './answer.js';
import { MessagePage } from './message-page.js';
import { waitText } from './moment.js';
import { currentViewer } from './viewer.js';

/** Errors that any page can answer. */
// biome-ignore format: a table is read by its columns
const ERRORS = {
  'bad request':      [400, 'Bad request',         'Your browser, or a proxy, sent a malformed request.'],
  'not a form':       [400, 'Invalid form',        'The form is not valid or is too large. Nothing was changed. Go back, reload the page and try again.'],
  'signed out':       [401, 'You are signed out',  'Your session has ended. Nothing was changed. Sign in and try again.'],
  'not private':      [403, 'HTTPS required',      'Others could read unencrypted traffic. Open this page over https, or as localhost on the server itself. Operators set the https address in PUBLIC_URL.'],
  'forged':           [403, 'Form rejected',       'This form was not sent from your current session. Nothing was changed. Reload the page and submit the form again.'],
  'another email':    [403, 'Billing portal not available', 'Our payment processor has no email address for you, or another one than this account. Contact us: we can see and change it.'],
  'not found':        [404, 'Page not found',      'This page does not exist, or you do not have access to it.'],
  'wrong method':     [405, 'Method not allowed',  'This address does not accept this type of request. Nothing was changed.'],
  'address too long': [414, 'Address too long',    'The part of the address after “?” is too long. Nothing was changed.'],
  'too many':         [429, 'Too many attempts',   'This attempt was not processed.'],
  'too many accounts': [429, 'Too many new accounts', 'Your network has reached its daily limit for new accounts. No account was created. Existing accounts can still sign in.'],
  'internal':         [500, 'Something went wrong', 'An internal error occurred and was logged. Try again. If it happens again, contact us with the request ID.'],
  'unavailable':      [503, 'Temporarily unavailable', 'Part of the service is not responding or does not accept changes. No data was lost. Try again in a moment.'],
  'overloaded':       [503, 'Service is busy',     'Too many requests are in progress. Nothing was changed. Try again in a moment.'],
} as const satisfies Record<string, readonly [status: number, title: string, text: string]>;

export type PageError = keyof typeof ERRORS;

export const statusOfError = (error: PageError): number => ERRORS[error][0];

/** Answers with an error page. It has the navigation of the signed-in user. */
export function answerError(ctx: Context, error: PageError, more: string | null = null): Promise<void> {
  const [status, title, text] = ERRORS[error];
  return answerOther(ctx, status, title, text, more);
}

/** Answers with an error page whose text is not in `ERRORS`. Operators find the error in the log by the request ID. */
export async function answerOther(
  ctx: Context,
  status: number,
  title: string,
  text: string,
  more: string | null = null,
): Promise<void> {
  const viewer = await currentViewer(ctx);
  answerPage(
    ctx,
    <MessagePage title={title} viewer={viewer} next={homeOf(ctx)}>
      <p>{text}</p>
      {more !== null && <p>{more}</p>}
      <p class="quiet">
        Request ID <code>{ctx.state.requestId}</code>
      </p>
    </MessagePage>,
    status,
  );
}

export function answerTooMany(
  ctx: Context,
  retryAfterSeconds: number,
  error: 'too many' | 'too many accounts' = 'too many',
): Promise<void> {
  ctx.set('Retry-After', String(retryAfterSeconds));
  return answerError(ctx, error, `Try again in ${waitText(retryAfterSeconds)}.`);
}

export const answerTooManyAccounts = (
  ctx: Context,
  { retryAfterSeconds }: Refusal<'rate_limited'>,
): Promise<void> => answerTooMany(ctx, retryAfterSeconds, 'too many accounts');

const homeOf = (ctx: Context) =>
  ctx.path.startsWith('/operator')
    ? { path: '/operator', label: 'Go to the console' }
    : { path: '/dashboard', label: 'Go to the dashboard' };
