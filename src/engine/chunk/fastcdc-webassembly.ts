import { FASTCDC_WEBASSEMBLY } from './fastcdc-bytes.ts';
import type { GearScan } from './fastcdc-javascript.ts';
import { GEAR } from './gear.ts';

/** The part of WebAssembly that is used here. Neither ECMAScript's types nor Node's declare it. */
interface Memory {
  readonly buffer: ArrayBuffer;
}
declare const WebAssembly:
  | undefined
  | {
      readonly validate: (bytes: Uint8Array) => boolean;
      readonly Module: new (bytes: Uint8Array) => object;
      readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => Memory;
      readonly Instance: new (
        module: object,
        imports: { readonly env: { readonly memory: Memory } },
      ) => { readonly exports: { readonly scan: GearScan } };
    };

const PAGE_BYTES = 64 * 1024;
/** Address at which fastcdc.c expects the words. */
const GEAR_ADDRESS = 0;
/** The first page contains the words. The window follows, so that files are read directly into the scanned memory. */
const WINDOW_ADDRESS = PAGE_BYTES;

/** `undefined` without WebAssembly (`node --jitless`) or without its vectors (processors without SSE4.1). */
const compiled = compile();

function compile() {
  if (typeof WebAssembly === 'undefined') return undefined;
  const bytes = Buffer.from(FASTCDC_WEBASSEMBLY, 'base64');
  return WebAssembly.validate(bytes) ? { platform: WebAssembly, module: new WebAssembly.Module(bytes) } : undefined;
}

/** Returns a window and fastcdc.c's scan of it; `undefined` if this machine cannot run that. */
export function webAssemblyScan(windowBytes: number): { window: Uint8Array<ArrayBuffer>; scan: GearScan } | undefined {
  if (compiled === undefined) return undefined;
  const { platform, module } = compiled;
  const pages = Math.ceil((WINDOW_ADDRESS + windowBytes) / PAGE_BYTES);
  const memory = new platform.Memory({ initial: pages, maximum: pages });
  new Uint32Array(memory.buffer, GEAR_ADDRESS, GEAR.length).set(GEAR);
  const { scan } = new platform.Instance(module, { env: { memory } }).exports;
  return {
    window: new Uint8Array(memory.buffer, WINDOW_ADDRESS, windowBytes),
    // Addresses are returned as signed integers.
    scan: (begin, end, below) => (scan(begin + WINDOW_ADDRESS, end + WINDOW_ADDRESS, below) >>> 0) - WINDOW_ADDRESS,
  };
}
