import type { ServerResponse } from 'node:http';
import type { Answer, Call } from './call.ts';
import type { ServiceState } from './service-state.ts';

/** How a service differs from the usual one. Each hook may do nothing. */
export interface Oddity {
  /** Changes the body of a call before the service reads it. */
  unwrap?(body: Record<string, unknown>, call: Call): void;
  /** Answers a call in the place of the service, which does not learn of it. */
  before?(call: Call, state: ServiceState): Answer | undefined;
  /** Returns another answer than that of the service, which has done what was asked. */
  after?(call: Call, answer: Answer, state: ServiceState): Answer | undefined;
  /** Sends an answer in its own way. Returns whether it did. */
  send?(response: ServerResponse, bytes: Buffer, call: Call): boolean;
}
