import { OtlpSpans } from './otlp-spans.js';
import { type BeginTrace, requestTraces } from './request-traces.js';

type Parts = {
  readonly config: {
    readonly trustedProxyHops: number;
    readonly traces: {
      /** Undefined: spans are not recorded. `traceparent` is read all the same. */
      readonly url: string | undefined;
      readonly percent: number;
    };
  };
  readonly version: string;
  readonly log: { readonly warn: (fields: object, message: string) => void };
};

/** The traces of the requests of this process. */
export function tracing({ config, version, log }: Parts): {
  readonly begin: BeginTrace;
  readonly start: () => Promise<void>;
  readonly close: () => Promise<void>;
} {
  const { url, percent } = config.traces;
  const report = (fault: string) => log.warn({ fault }, 'spans could not be sent to TRACES_URL');
  const spans = url === undefined ? null : new OtlpSpans({ url, version, report });
  return {
    begin: requestTraces({
      percent,
      trustsCallers: config.trustedProxyHops > 0,
      record: spans?.record ?? null,
    }),
    start: async () => spans?.start(),
    close: async () => spans?.close(),
  };
}
