import { GEAR } from './gear.ts';

/** Bytes that determine a hash: a 32-bit hash has shifted out all earlier ones. */
const HASH_BYTES = 32;

/**
 * Returns the first position from `begin` whose gear hash is less than `below`, else `end`. The hash of a position covers the
 * HASH_BYTES bytes that end there, so the HASH_BYTES - 1 bytes before `begin` are read too.
 */
export type GearScan = (begin: number, end: number, below: number) => number;

/**
 * The gear hash by its definition (Xia et al., "Ddelta", 2014): shift, then add the byte's word. It is the reference for
 * fastcdc.c and the fallback for machines that cannot run that.
 */
export function javascriptScan(bytes: Uint8Array): GearScan {
  return (begin, end, below) => {
    let hash = 0;
    for (let position = begin - HASH_BYTES + 1; position < begin; position++) {
      hash = ((hash << 1) + GEAR[bytes[position]!]!) | 0;
    }
    for (let position = begin; position < end; position++) {
      hash = ((hash << 1) + GEAR[bytes[position]!]!) | 0;
      if (hash >>> 0 < below) return position;
    }
    return end;
  };
}
