import { createHash } from 'node:crypto';
import type { RouteContext } from '../http/state.js';

/** A response that is rendered once and served from memory. */
export type Rendered = { readonly body: Buffer; readonly tag: string; readonly type: string };

const TAG_CHARACTERS = 27;

export function rendered(type: string, text: string | Buffer): Rendered {
  const body = Buffer.from(text);
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, TAG_CHARACTERS);
  return { body, tag: `W/"${hash}"`, type };
}

/** Renders each name at its first request, because the texts contain the port of the listener, and only once. */
export function renderedOnce<Name>(render: (name: Name) => Rendered): (name: Name) => Rendered {
  const known = new Map<Name, Rendered>();
  return (name) => {
    const found = known.get(name) ?? render(name);
    known.set(name, found);
    return found;
  };
}

export function answerRendered(ctx: RouteContext, { body, tag, type }: Rendered): void {
  ctx.set({ 'Cache-Control': 'public, no-cache', ETag: tag, 'Content-Type': type });
  ctx.body = body;
}
