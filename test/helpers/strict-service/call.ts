import type { IncomingHttpHeaders } from 'node:http';
import type { EndpointName, Fault } from './faults.ts';

/** One request, read to its end. */
export interface Call {
  readonly endpoint: EndpointName;
  /** The varying segment of the path. */
  readonly parameter: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly bearer: string | undefined;
  readonly bytes: Buffer;
  /** `bytes` as JSON, for the control plane. */
  readonly body: unknown;
  /** What the script has for this call. */
  readonly fault: Fault | undefined;
}

/** A JSON body, bytes, a text, or nothing. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly bytes?: Buffer;
  readonly text?: string;
}
