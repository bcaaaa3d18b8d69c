// Compiled from the catalogues by `npm run texts`. Do not edit.
import type { Strings } from './en.ts';
import { account } from './de/account.ts';
import { activity } from './de/activity.ts';
import { common } from './de/common.ts';
import { destination } from './de/destination.ts';
import { destinationChoice } from './de/destination-choice.ts';
import { destinations } from './de/destinations.ts';
import { devices } from './de/devices.ts';
import { drill } from './de/drill.ts';
import { failures } from './de/failures.ts';
import { home } from './de/home.ts';
import { lock } from './de/lock.ts';
import { onboarding } from './de/onboarding.ts';
import { report } from './de/report.ts';
import { restore } from './de/restore.ts';
import { sets } from './de/sets.ts';
import { settings } from './de/settings.ts';
import { shell } from './de/shell.ts';
import { updates } from './de/updates.ts';

export const de = (): Strings => ({ account: account(), activity: activity(), common: common(), destination: destination(), destinationChoice: destinationChoice(), destinations: destinations(), devices: devices(), drill: drill(), failures: failures(), home: home(), lock: lock(), onboarding: onboarding(), report: report(), restore: restore(), sets: sets(), settings: settings(), shell: shell(), updates: updates() });
