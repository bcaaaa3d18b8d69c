import { networkInterfaces } from 'node:os';

const EVERY_MS = 15_000;

/** Tells that the addresses of this computer have changed: another network, a cable, a tunnel. Answers what ends it. */
export function watchNetwork(tell: () => void, addresses: () => string = ownAddresses): () => void {
  let known = addresses();
  const timer = setInterval(() => {
    const now = addresses();
    if (now !== known) tell();
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
