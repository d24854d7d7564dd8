import { getAsset } from '../dashboard/assets.js';
import type { Handler } from '../dashboard/state.js';
import { answerProblem } from '../http/answer/problem.js';
import type { RouteContext, RouteHandler } from '../http/state.js';

// These handlers read only what the contexts of all listeners have.
const getFile = getAsset((ctx) => answerProblem(ctx as unknown as RouteContext, 'not_found'));

/** The files that the pages of the documentation load. */
export const getPageAsset: RouteHandler = (ctx) => getFile(ctx as unknown as Parameters<Handler>[0]);
