import type { Estimate } from '../../../ipc/contract/sets.ts';
import type { EstimateRequest } from './estimate-walk.ts';

export interface NumberedRequest {
  readonly id: number;
  readonly request: EstimateRequest;
}

/** The call of the thread of all estimates, which counts several in turns. */
export interface EstimateCalls {
  count(input: NumberedRequest): Estimate;
}

export interface EstimateEvents {
  readonly progress: { readonly id: number; readonly estimate: Estimate };
}
