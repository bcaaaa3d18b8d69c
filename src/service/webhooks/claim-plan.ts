/** Maximum concurrent attempts in one process. */
const MOST_IN_FLIGHT = 32;
/** Maximum to one endpoint. */
const MOST_PER_ENDPOINT = 4;
/** Maximum to all endpoints whose last attempt failed, one for each; the rest stays free for working ones. */
const MOST_FAILING_IN_FLIGHT = 16;

export interface EndpointLoad {
  /** Attempts in progress by endpoint id. */
  readonly inFlight: ReadonlyMap<string, number>;
  /** Endpoints whose last attempt failed. */
  readonly failing: ReadonlySet<string>;
}

export interface PlannedClaim {
  readonly endpointId: string;
  readonly limit: number;
}

/**
 * Distributes free slots among endpoints with due deliveries, one each in turn, so that neither a long
 * backlog nor a receiver that always times out delays the others.
 */
export function planClaims(dueEndpoints: readonly string[], load: EndpointLoad): readonly PlannedClaim[] {
  let free = MOST_IN_FLIGHT - sum(load.inFlight.values());
  let freeFailing = MOST_FAILING_IN_FLIGHT;
  for (const endpointId of load.failing) freeFailing -= load.inFlight.get(endpointId) ?? 0;

  const planned = new Map<string, number>();
  for (let round = 0; round < MOST_PER_ENDPOINT && free > 0; round += 1) {
    for (const endpointId of dueEndpoints) {
      if (free <= 0) break;
      const fails = load.failing.has(endpointId);
      const taken = (load.inFlight.get(endpointId) ?? 0) + (planned.get(endpointId) ?? 0);
      if (taken >= (fails ? 1 : MOST_PER_ENDPOINT) || (fails && freeFailing <= 0)) continue;
      planned.set(endpointId, (planned.get(endpointId) ?? 0) + 1);
      free -= 1;
      if (fails) freeFailing -= 1;
    }
  }
  return Array.from(planned, ([endpointId, limit]) => ({ endpointId, limit }));
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
