/**
 * The only globals beyond ECMAScript that `src/protocol` may use: both Node and browsers have them. It is part of
 * src/protocol/tsconfig.json alone; the other layers see the globals of their own platform.
 */
declare class TextEncoder {
  encode(text?: string): Uint8Array<ArrayBuffer>;
}

declare class TextDecoder {
  constructor(label?: string, options?: { readonly fatal?: boolean; readonly ignoreBOM?: boolean });
  decode(bytes?: Uint8Array, options?: { readonly stream?: boolean }): string;
}
