import type { SpanContext } from '@opentelemetry/api';
import type { BatchSpanProcessor, ReadableSpan } from '@opentelemetry/sdk-trace';
import type { EndedSpan } from './request-traces.js';
import type { TraceContext } from './trace-context.js';

type Settings = {
  /** Where the spans are sent, by OTLP over HTTP. */
  readonly url: string;
  readonly version: string;
  /** Gets what could not be sent. */
  readonly report: (message: string) => void;
};

const REPORT_EVERY_MS = 60_000;
const SCOPE = { name: 'oddswire' };

/** Sends spans to a collector, in batches. What does not fit into the queue is lost, and no request waits. */
export class OtlpSpans {
  readonly #settings: Settings;
  #export: {
    readonly processor: BatchSpanProcessor;
    readonly made: (span: EndedSpan) => ReadableSpan;
  } | null = null;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Throws if the packages, which are optional, are not installed. */
  async start(): Promise<void> {
    const { url, version } = this.#settings;
    const { api, trace, resources, exporter } = await packages();
    const attributes = { 'service.name': 'oddswire', 'service.version': version };
    const resource = resources.resourceFromAttributes(attributes);
    const processor = new trace.BatchSpanProcessor({ exporter: new exporter.OTLPTraceExporter({ url }) });
    api.diag.setLogger(this.#faultLogger(), api.DiagLogLevel.ERROR);
    const kinds = { server: api.SpanKind.SERVER, client: api.SpanKind.CLIENT } as const;
    const made = (span: EndedSpan): ReadableSpan => ({
      name: span.name,
      kind: kinds[span.kind],
      attributes: span.attributes,
      spanContext: () => contextOf(span.context),
      ...(span.parentSpanId !== null && {
        parentSpanContext: contextOf({ ...span.context, spanId: span.parentSpanId }),
      }),
      startTime: hrTime(span.startedAt),
      endTime: hrTime(span.endedAt),
      duration: hrTime(span.endedAt - span.startedAt),
      status: { code: span.isError ? api.SpanStatusCode.ERROR : api.SpanStatusCode.UNSET },
      links: [],
      events: [],
      ended: true,
      resource,
      instrumentationScope: SCOPE,
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    });
    this.#export = { processor, made };
  }

  readonly record = (span: EndedSpan): void => {
    if (this.#export !== null) this.#export.processor.onEnd(this.#export.made(span));
  };

  /** Sends what is left. */
  async close(): Promise<void> {
    await this.#export?.processor.shutdown().catch((fault: unknown) => this.#report(String(fault)));
  }

  /** At most once a minute, because each batch fails while the collector is away. */
  #report(message: string): void {
    const now = performance.now();
    if (now - this.#reportedAt < REPORT_EVERY_MS) return;
    this.#reportedAt = now;
    this.#settings.report(message);
  }

  #faultLogger() {
    const nothing = () => {};
    const error = (message: string, ...more: readonly unknown[]) =>
      this.#report([message, ...more.map(String)].join(' '));
    return { error, warn: nothing, info: nothing, debug: nothing, verbose: nothing };
  }
}

async function packages() {
  try {
    const [api, trace, resources, exporter] = await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/exporter-trace-otlp-http'),
    ]);
    return { api, trace, resources, exporter };
  } catch (fault) {
    throw new Error(
      'TRACES_URL is set, but the optional packages of OpenTelemetry are not installed. Install them with `npm ci` ' +
        'without --omit=optional, or remove TRACES_URL.',
      { cause: fault },
    );
  }
}

const contextOf = ({ traceId, spanId, isSampled }: TraceContext): SpanContext => ({
  traceId,
  spanId,
  traceFlags: isSampled ? 1 : 0,
});

/** Seconds and nanoseconds. */
const hrTime = (ms: number): [number, number] => [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1e6)];
