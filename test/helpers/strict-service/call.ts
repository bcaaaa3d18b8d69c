import type { IncomingHttpHeaders } from 'node:http';
import type { EndpointName, Fault } from './faults.ts';

/** One request, read to its end. */
export interface Call {
  readonly endpoint: EndpointName;
  /** The variable segment of the path. */
  readonly parameter: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly bearer: string | undefined;
  readonly bytes: Buffer;
  /** `bytes` parsed as JSON, for the control plane. */
  readonly body: unknown;
  /** The scripted fault of this call. */
  readonly fault: Fault | undefined;
}

/** A response with a JSON body, bytes, a text, or no body. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly bytes?: Buffer;
  readonly text?: string;
  /** In addition to the usual ones, or in their place. */
  readonly headers?: Readonly<Record<string, string>>;
  /** True if the connection ends in the place of the answer. */
  readonly isLost?: true;
}
