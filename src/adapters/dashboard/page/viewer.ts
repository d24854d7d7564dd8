import type { Context, Viewer } from '../state.js';

/**
 * The signed-in user, for pages without a visit, such as errors. Null if nobody is signed in, if sessions cannot be read,
 * or if the page must not show session data.
 */
export async function currentViewer({ state }: Context): Promise<Viewer | null> {
  if (state.viewer === undefined) state.viewer = (await state.findViewer?.()) ?? null;
  return state.viewer;
}
