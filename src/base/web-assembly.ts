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
      ) => { readonly exports: unknown };
    };

/** Bytes of a page of memory. */
export const PAGE_BYTES = 64 * 1024;

/** A module that was compiled once, and runs in as many memories as are made. `Exports` are its functions. */
export interface CompiledModule<Exports> {
  /** @param pages of memory, which does not grow */
  readonly newInstance: (pages: number) => { readonly buffer: ArrayBuffer; readonly exports: Exports };
}

/**
 * Compiles a module. Returns `undefined` without WebAssembly (`node --jitless`) or without the vectors that the module uses
 * (processors without SSE4.1).
 *
 * @param base64 a module that imports its memory as `env.memory`
 */
export function compileWebAssembly<Exports>(base64: string): CompiledModule<Exports> | undefined {
  if (typeof WebAssembly === 'undefined') return undefined;
  const bytes = Buffer.from(base64, 'base64');
  if (!WebAssembly.validate(bytes)) return undefined;
  const platform = WebAssembly;
  const module = new platform.Module(bytes);
  return {
    newInstance: (pages) => {
      const memory = new platform.Memory({ initial: pages, maximum: pages });
      const { exports } = new platform.Instance(module, { env: { memory } });
      return { buffer: memory.buffer, exports: exports as Exports };
    },
  };
}
