/**
 * What plugin/telemetry.cjs is built from: one trace through the OpenTelemetry SDK to a collector. A program of its own,
 * loaded only when there is something to send, because the SDK is large.
 */
import { createHash, randomBytes } from 'node:crypto';
import { ROOT_CONTEXT, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, type ReadableSpan, type SpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Trace, TraceSpan } from './trace.ts';

export interface Sending {
  /** Base address of the collector, or the whole address ending in /v1/traces. */
  endpoint: string;
  /** Readygate's version. */
  version: string;
  timeoutMs: number;
}

/** Keeps ended spans, so that they go out in one request whose result is known. */
class Kept implements SpanProcessor {
  readonly spans: ReadableSpan[] = [];
  onStart(): void {}
  onEnd(span: ReadableSpan): void {
    this.spans.push(span);
  }
  forceFlush(): Promise<void> {
    return Promise.resolve();
  }
  shutdown(): Promise<void> {
    return Promise.resolve();
  }
}

const PATH = '/v1/traces';

function addressOf(endpoint: string): string {
  const url = new URL(endpoint);
  if (!url.pathname.endsWith(PATH)) url.pathname = `${url.pathname.replace(/\/+$/, '')}${PATH}`;
  return url.href;
}

function draw(tracer: Tracer, span: TraceSpan, within = ROOT_CONTEXT) {
  const drawn = tracer.startSpan(span.name, { startTime: span.from, attributes: span.attributes }, within);
  for (const { name, attributes, at } of span.events) drawn.addEvent(name, attributes, at);
  return drawn;
}

/** Sends a trace. The same session has the same trace id, however often it is sent. @returns why it failed, or null */
export async function sendTrace(sent: Trace, { endpoint, version, timeoutMs }: Sending): Promise<string | null> {
  const kept = new Kept();
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'readygate', 'service.version': version }),
    spanProcessors: [kept],
    idGenerator: {
      generateTraceId: () => createHash('sha256').update(sent.session).digest('hex').slice(0, 32),
      generateSpanId: () => randomBytes(8).toString('hex'),
    },
  });
  const tracer = provider.getTracer('readygate', version);
  const root = draw(tracer, sent.root);
  const within = trace.setSpan(ROOT_CONTEXT, root);
  for (const phase of sent.phases) draw(tracer, phase, within).end(phase.to);
  if (sent.failed) root.setStatus({ code: SpanStatusCode.ERROR });
  root.end(sent.root.to);
  const exporter = new OTLPTraceExporter({ url: addressOf(endpoint), timeoutMillis: timeoutMs });
  try {
    return await new Promise<string | null>((resolve) => {
      exporter.export(kept.spans, ({ code, error }) => resolve(code === 0 ? null : (error?.message ?? 'the collector refused it')));
    });
  } finally {
    await exporter.shutdown().catch(() => {});
  }
}
