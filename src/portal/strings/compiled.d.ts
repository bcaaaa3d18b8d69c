// Written by `npm run texts` from the English catalogue. Do not edit.
declare module '*/compiled/portal-en.ts' {
  export type Strings = import('./english.ts').Strings;
  export const en: Strings;
}
declare module '*/compiled/portal-de.ts' {
  export const de: () => import('./english.ts').Strings;
}
declare module '*/compiled/portal-fr.ts' {
  export const fr: () => import('./english.ts').Strings;
}
declare module '*/compiled/portal-es.ts' {
  export const es: () => import('./english.ts').Strings;
}
declare module '*/compiled/portal-ja.ts' {
  export const ja: () => import('./english.ts').Strings;
}
declare module '*/compiled/portal-ar.ts' {
  export const ar: () => import('./english.ts').Strings;
}
