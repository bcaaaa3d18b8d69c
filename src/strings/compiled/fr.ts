// Compiled from the catalogues by `npm run texts`. Do not edit.
import type { Strings } from './en.ts';
import { account } from './fr/account.ts';
import { activity } from './fr/activity.ts';
import { common } from './fr/common.ts';
import { destination } from './fr/destination.ts';
import { destinationChoice } from './fr/destination-choice.ts';
import { destinations } from './fr/destinations.ts';
import { devices } from './fr/devices.ts';
import { drill } from './fr/drill.ts';
import { failures } from './fr/failures.ts';
import { home } from './fr/home.ts';
import { lock } from './fr/lock.ts';
import { onboarding } from './fr/onboarding.ts';
import { report } from './fr/report.ts';
import { restore } from './fr/restore.ts';
import { sets } from './fr/sets.ts';
import { settings } from './fr/settings.ts';
import { shell } from './fr/shell.ts';
import { updates } from './fr/updates.ts';

export const fr = (): Strings => ({ account: account(), activity: activity(), common: common(), destination: destination(), destinationChoice: destinationChoice(), destinations: destinations(), devices: devices(), drill: drill(), failures: failures(), home: home(), lock: lock(), onboarding: onboarding(), report: report(), restore: restore(), sets: sets(), settings: settings(), shell: shell(), updates: updates() });
