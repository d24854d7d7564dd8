import { createHash } from 'node:crypto';

/** A Lua script with its SHA-1. The server caches scripts, so usually only the hash is sent. */
export type Script = { readonly text: string; readonly hash: string };
export const script = (text: string): Script => ({
  text,
  hash: createHash('sha1').update(text).digest('hex'),
});
