import type { Refusal } from '../../../domain/refusal.js';
import type { Context } from '../state.js';
import { answerPage } from './answer.js';
import { MessagePage } from './message-page.js';
import { waitText } from './moment.js';
import { currentViewer } from './viewer.js';

/** What can go wrong with a page, whoever asks for it. */
// biome-ignore format: a table is read by its columns
const ERRORS = {
  'bad request':      [400, 'Bad request',         'Your browser, or something between it and us, sent a request that is not well-formed.'],
  'not a form':       [400, 'Not a form',          'What was sent is not one of our forms, or is too large.'],
  'signed out':       [401, 'You are signed out',  'Nothing was done: your session has ended. Sign in and do it again.'],
  'not private':      [403, 'Not over plain http', 'Others could read what your browser sends. Pages are shown over https, or on the machine itself under the name localhost; whoever runs the service sets its https address as PUBLIC_URL.'],
  'forged':           [403, 'Not from our page',   'This form was not sent from a page of yours here, so nothing was done. Open the page again and send it from there.'],
  'another email':    [403, 'Not your address there', 'Invoices and payment method are not opened from here: the customer at the payment processor has another e-mail address than this account, or none. Ask the people who run this service: they see which address it is, and can change it.'],
  'not found':        [404, 'Nothing here',        'There is no page at this address, or nothing that is yours.'],
  'wrong method':     [405, 'Not that way',        'This address does not take what was sent to it.'],
  'address too long': [414, 'Address too long',    'The part of the address after the question mark is too long. Nothing was done.'],
  'too many':         [429, 'Too many attempts',   'There were too many attempts, and this one did nothing.'],
  'too many accounts': [429, 'Too many new accounts', 'No more accounts can be opened from your network today. Nothing was done, and accounts that exist sign in as before.'],
  'internal':         [500, 'Our mistake',         'Something went wrong on our side, and has been recorded.'],
  'unavailable':      [503, 'Back in a moment',    'A part of the service does not answer, or takes no changes for now. Nothing is lost; try again in a moment.'],
  'overloaded':       [503, 'Too busy',            'Too many people ask for pages right now. Nothing was done; try again in a moment.'],
} as const satisfies Record<string, readonly [status: number, title: string, text: string]>;

export type PageError = keyof typeof ERRORS;

export const statusOfError = (error: PageError): number => ERRORS[error][0];

/** An error as a page, with the navigation of who is signed in. */
export function answerError(ctx: Context, error: PageError, more: string | null = null): Promise<void> {
  const [status, title, text] = ERRORS[error];
  return answerOther(ctx, status, title, text, more);
}

/** An error that has no row of its own. The id is what an operator finds it by. */
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
        Request <code>{ctx.state.requestId}</code>
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
    ? { path: '/operator', label: 'To the console' }
    : { path: '/dashboard', label: 'To the dashboard' };
