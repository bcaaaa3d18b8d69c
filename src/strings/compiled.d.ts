// Written by `npm run texts` from the English catalogue. Do not edit.
declare module '*/compiled/en.ts' {
  export type Strings = import('./english.ts').Strings;
  export const en: Strings;
}
declare module '*/compiled/en/account.ts' {
  export const account: import('./english.ts').Strings['account'];
}
declare module '*/compiled/en/activity.ts' {
  export const activity: import('./english.ts').Strings['activity'];
}
declare module '*/compiled/en/common.ts' {
  export const common: import('./english.ts').Strings['common'];
}
declare module '*/compiled/en/destination.ts' {
  export const destination: import('./english.ts').Strings['destination'];
}
declare module '*/compiled/en/destination-choice.ts' {
  export const destinationChoice: import('./english.ts').Strings['destinationChoice'];
}
declare module '*/compiled/en/destinations.ts' {
  export const destinations: import('./english.ts').Strings['destinations'];
}
declare module '*/compiled/en/devices.ts' {
  export const devices: import('./english.ts').Strings['devices'];
}
declare module '*/compiled/en/drill.ts' {
  export const drill: import('./english.ts').Strings['drill'];
}
declare module '*/compiled/en/failures.ts' {
  export const failures: import('./english.ts').Strings['failures'];
}
declare module '*/compiled/en/home.ts' {
  export const home: import('./english.ts').Strings['home'];
}
declare module '*/compiled/en/lock.ts' {
  export const lock: import('./english.ts').Strings['lock'];
}
declare module '*/compiled/en/onboarding.ts' {
  export const onboarding: import('./english.ts').Strings['onboarding'];
}
declare module '*/compiled/en/report.ts' {
  export const report: import('./english.ts').Strings['report'];
}
declare module '*/compiled/en/restore.ts' {
  export const restore: import('./english.ts').Strings['restore'];
}
declare module '*/compiled/en/sets.ts' {
  export const sets: import('./english.ts').Strings['sets'];
}
declare module '*/compiled/en/settings.ts' {
  export const settings: import('./english.ts').Strings['settings'];
}
declare module '*/compiled/en/shell.ts' {
  export const shell: import('./english.ts').Strings['shell'];
}
declare module '*/compiled/en/updates.ts' {
  export const updates: import('./english.ts').Strings['updates'];
}
declare module '*/compiled/de.ts' {
  export const de: () => import('./english.ts').Strings;
}
declare module '*/compiled/fr.ts' {
  export const fr: () => import('./english.ts').Strings;
}
declare module '*/compiled/es.ts' {
  export const es: () => import('./english.ts').Strings;
}
declare module '*/compiled/ja.ts' {
  export const ja: () => import('./english.ts').Strings;
}
declare module '*/compiled/ar.ts' {
  export const ar: () => import('./english.ts').Strings;
}
