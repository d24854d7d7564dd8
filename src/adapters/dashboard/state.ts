import type { RouterContext } from '@koa/router';
import type Koa from 'koa';
import type { Access } from '../../domain/accounts/access.js';
import type { PositionToken } from '../../domain/feed/position.js';
import type { Moment } from '../../domain/moment.js';

export type NavigationItem = { readonly path: string; readonly label: string };

/** A contact: its URL (`https:`, `mailto:` or `tel:`), and its text. */
export type Contact = { readonly url: string; readonly text: string };

/** The signed-in user, as every page shows them. */
export type Viewer = {
  readonly name: string;
  /** The title of the plan; null for operators, who have none. */
  readonly planTitle: string | null;
  /** Proves that a form was rendered for this session (`visit.ts`). */
  readonly formToken: string;
  readonly navigation: readonly NavigationItem[];
  readonly signOutPath: string;
  /** Null for operators, who have no account. */
  readonly access: Access | null;
  /** Where the account pays its invoices; null without a billing portal. */
  readonly payPath: string | null;
  /** How customers reach the operator of the service; null if no contact is set. */
  readonly support: Contact | null;
};

/** What was sent to a page that stays open, and why it ended; null while it is open or if the browser has closed it. */
export type StreamFigures = {
  readonly form: 'sse' | 'websocket' | 'batch';
  readonly items: number;
  readonly bytes: number;
  readonly position: PositionToken;
  readonly reason: string | null;
};

/** Facts about a request that the listener established before routing. */
export type State = {
  readonly requestId: string;
  /** The client's address, as far as it can be trusted (T10). */
  readonly address: string;
  route: string | null;
  /** The complete body of a `POST`. */
  readonly body: Buffer | 'too large' | null;
  /** The signed-in user; absent until read (`page/viewer.ts`). */
  viewer?: Viewer | null;
  /** What the log has of a page that gets changes until it is closed, in the form of `http/logged-stream.ts`. */
  stream?: {
    /** By `performance.now()`: how long the page stays open is no duration of a request. */
    readonly measuredUntil: number | null;
    readonly open: object | null;
    readonly record: () => StreamFigures;
  } | null;
  /** What short times on the page are relative to (`page/moment.tsx`). */
  renderedAt?: Moment;
  /** Reads the signed-in user; null if that fails. */
  findViewer?: () => Promise<Viewer | null>;
};

export type Middleware = Koa.Middleware<State>;
export type Context = RouterContext<State>;
export type Handler = (ctx: Context) => Promise<void> | void;

/** A parameter of the query string; null if absent. */
export const parameter = (ctx: Context, name: string): string | null =>
  new URLSearchParams(ctx.querystring).get(name);

/** Redirects with 303, so that reloading the next page does not submit the form again. */
export function goTo(ctx: Context, path: string): void {
  ctx.status = 303;
  ctx.set('Location', path);
  ctx.set('Cache-Control', 'no-store');
  ctx.body = '';
}
