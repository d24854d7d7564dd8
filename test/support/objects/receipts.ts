import type { Receipt } from '../../../src/application/ports/limits/counters.js';
import type { Permit } from '../../../src/domain/limits/rate-limit.js';

/** The receipt of permits that the shared counters have counted. */
export const receiptOf = (permits: readonly Permit[]): Receipt => ({ permits, isLocal: false });
