/** Pings that no run waits for. */
const underWay = new Set<Promise<void>>();
const givenUp = new AbortController();

/** Is aborted when nobody waits for pings any longer. */
export const pingsGivenUp: AbortSignal = givenUp.signal;

/** Keeps a ping until it is delivered or given up. */
export function addPing(ping: Promise<void>): void {
  underWay.add(ping);
  void ping.finally(() => underWay.delete(ping));
}

/** Resolves when all pings are delivered or given up. A program that ends waits for them. */
export async function pingsSent(): Promise<void> {
  await Promise.all(underWay);
}

/** Ends the attempts of all pings, and those of later ones. */
export function giveUpPings(): void {
  givenUp.abort();
}
