import type { Context } from '../state.js';
import { answerPage } from './answer.js';
import { MessagePage } from './message-page.js';

/** What can go wrong with a page, whoever asks for it. */
// biome-ignore format: a table is read by its columns
const ERRORS = {
  'not found':     [404, 'Nothing here',        'There is no page at this address, or nothing that is yours.'],
  'wrong method':  [405, 'Not that way',        'This address does not take what was sent to it.'],
  'not a form':    [400, 'Not a form',          'What was sent is not one of our forms, or is too large.'],
  'not private':   [403, 'Not over plain http', 'Others could read what your browser sends. Pages are shown over https, or on the machine itself under the name localhost; whoever runs the service sets its https address as PUBLIC_URL.'],
  'forged':        [403, 'Not from our page',   'This form was not sent from a page of yours here, so nothing was done. Open the page again and send it from there.'],
  'signed out':    [401, 'You are signed out',  'Nothing was done: your session has ended. Sign in and do it again.'],
  'too many':      [429, 'Too many attempts',   'There were too many attempts, and this one did nothing.'],
  'unavailable':   [503, 'Back in a moment',    'A part of the service does not answer. Nothing is lost; try again in a moment.'],
  'internal':      [500, 'Our mistake',         'Something went wrong on our side, and has been recorded.'],
} as const satisfies Record<string, readonly [status: number, title: string, words: string]>;

export type PageError = keyof typeof ERRORS;

/** An error as a page. The id is what an operator finds it by. */
export function answerError(ctx: Context, error: PageError, more: string | null = null): void {
  const [status, title, words] = ERRORS[error];
  answerPage(
    ctx,
    <MessagePage title={title} viewer={null} next={homeOf(ctx)}>
      <p>{words}</p>
      {more !== null && <p>{more}</p>}
      <p class="quiet">
        Request <code>{ctx.state.requestId}</code>
      </p>
    </MessagePage>,
    status,
  );
}

export function answerTooMany(ctx: Context, retryAfterSeconds: number): void {
  ctx.set('Retry-After', String(retryAfterSeconds));
  const minutes = Math.ceil(retryAfterSeconds / 60);
  answerError(ctx, 'too many', `Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`);
}

const homeOf = (ctx: Context) =>
  ctx.path.startsWith('/operator')
    ? { path: '/operator', words: 'To the console' }
    : { path: '/dashboard', words: 'To the dashboard' };
