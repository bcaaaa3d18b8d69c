import { compileWebAssembly, PAGE_BYTES } from '../../../base/web-assembly.ts';
import { FASTCDC_WEBASSEMBLY } from './fastcdc-bytes.ts';
import type { GearScan } from './fastcdc-javascript.ts';
import { GEAR } from './gear.ts';

/** Address at which fastcdc.c expects the words. */
const GEAR_ADDRESS = 0;
/** The first page contains the words. The window follows, so that files are read directly into the scanned memory. */
const WINDOW_ADDRESS = PAGE_BYTES;

const compiled = compileWebAssembly<{ readonly scan: GearScan }>(FASTCDC_WEBASSEMBLY);

/** Returns a window and fastcdc.c's scan of it; `undefined` if this machine cannot run that. */
export function webAssemblyScan(windowBytes: number): { window: Uint8Array<ArrayBuffer>; scan: GearScan } | undefined {
  if (compiled === undefined) return undefined;
  const { buffer, exports } = compiled.newInstance(Math.ceil((WINDOW_ADDRESS + windowBytes) / PAGE_BYTES));
  const { scan } = exports;
  new Uint32Array(buffer, GEAR_ADDRESS, GEAR.length).set(GEAR);
  return {
    window: new Uint8Array(buffer, WINDOW_ADDRESS, windowBytes),
    // Addresses are returned as signed integers.
    scan: (begin, end, below) => (scan(begin + WINDOW_ADDRESS, end + WINDOW_ADDRESS, below) >>> 0) - WINDOW_ADDRESS,
  };
}
