import type { Context } from '../state.js';
import type { Viewer } from './layout.js';

/**
 * Who is signed in, for pages that are not a visit of theirs, such as errors. Null where nobody is, where sessions
 * cannot be looked up, and where nothing of a session may be shown.
 */
export async function currentViewer({ state }: Context): Promise<Viewer | null> {
  if (state.viewer === undefined) state.viewer = (await state.findViewer?.()) ?? null;
  return state.viewer;
}
