import { GEAR } from './gear.ts';

/** Bytes that decide on a cut, the last of them included: a 32-bit hash has shifted out all that came earlier. */
const HASH_BYTES = 32;

/**
 * The first position from `begin` on whose gear hash is less than `below`, else `end`. A position's hash is that of the
 * HASH_BYTES bytes of which it is the last; so the HASH_BYTES - 1 bytes before `begin` are read too.
 */
export type GearScan = (begin: number, end: number, below: number) => number;

/**
 * The gear hash as it is defined (Xia et al., "Ddelta", 2014): shift, then add the byte's word. Whatever else finds cuts
 * is measured against this; it also serves where a machine cannot run fastcdc.c.
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
