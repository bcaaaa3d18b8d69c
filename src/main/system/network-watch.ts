import { networkInterfaces } from 'node:os';

const EVERY_MS = 15_000;

/** Reports when the network addresses of this computer change; returns a function that stops watching. */
export function watchNetwork(report: () => void, addresses: () => string = ownAddresses): () => void {
  let known = addresses();
  const timer = setInterval(() => {
    const now = addresses();
    if (now !== known) report();
    known = now;
  }, EVERY_MS);
  return () => clearInterval(timer);
}

function ownAddresses(): string {
  return Object.entries(networkInterfaces())
    .flatMap(([name, addresses]) => (addresses ?? []).map(({ address }) => `${name} ${address}`))
    .sort()
    .join('\n');
}
