import type { DigestSet } from '../../format/chunks/digest-set.ts';
import { parityLayout } from '../parity/parity-layout.ts';
import type { Repository } from '../repository.ts';
import { packsToCondemn, type ChoiceOptions, type ChosenPack } from './pack-choice.ts';

/** Bytes of the packs that a collection would condemn, with their parity, less what it would write anew. */
export function freeableBytes(
  { projection: { packs }, parity: { percent } }: Repository,
  live: DigestSet,
  options: ChoiceOptions,
): number {
  return packsToCondemn(packs, live, options).reduce((sum, pack) => sum + bytesFreedBy(pack, percent), 0);
}

function bytesFreedBy(pack: ChosenPack, percent: number): number {
  return withParity(pack.bytes, percent) - bytesAnew(pack, percent);
}

/** Bytes that are written for what lives in a pack, with parity. @param percent of parity */
export function bytesAnew({ bytes, livingBytes, blobBytes }: ChosenPack, percent: number): number {
  // A new pack has a table of its own.
  const anew = blobBytes === 0 ? 0 : Math.ceil((bytes * livingBytes) / blobBytes);
  return withParity(anew, percent);
}

/** @param percent of parity */
export function withParity(bytes: number, percent: number): number {
  return bytes === 0 || percent === 0 ? bytes : bytes + parityLayout(bytes, percent).fileBytes;
}
