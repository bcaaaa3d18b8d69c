// Compiled from the catalogues by `npm run texts`. Do not edit.
import type { Strings } from './en.ts';
import { account } from './ar/account.ts';
import { activity } from './ar/activity.ts';
import { common } from './ar/common.ts';
import { destination } from './ar/destination.ts';
import { destinationChoice } from './ar/destination-choice.ts';
import { destinations } from './ar/destinations.ts';
import { devices } from './ar/devices.ts';
import { drill } from './ar/drill.ts';
import { failures } from './ar/failures.ts';
import { home } from './ar/home.ts';
import { lock } from './ar/lock.ts';
import { onboarding } from './ar/onboarding.ts';
import { report } from './ar/report.ts';
import { restore } from './ar/restore.ts';
import { sets } from './ar/sets.ts';
import { settings } from './ar/settings.ts';
import { shell } from './ar/shell.ts';
import { updates } from './ar/updates.ts';

export const ar = (): Strings => ({ account: account(), activity: activity(), common: common(), destination: destination(), destinationChoice: destinationChoice(), destinations: destinations(), devices: devices(), drill: drill(), failures: failures(), home: home(), lock: lock(), onboarding: onboarding(), report: report(), restore: restore(), sets: sets(), settings: settings(), shell: shell(), updates: updates() });
