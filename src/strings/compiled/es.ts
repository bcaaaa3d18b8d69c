// Compiled from the catalogues by `npm run texts`. Do not edit.
import type { Strings } from './en.ts';
import { account } from './es/account.ts';
import { activity } from './es/activity.ts';
import { common } from './es/common.ts';
import { destination } from './es/destination.ts';
import { destinationChoice } from './es/destination-choice.ts';
import { destinations } from './es/destinations.ts';
import { devices } from './es/devices.ts';
import { drill } from './es/drill.ts';
import { failures } from './es/failures.ts';
import { home } from './es/home.ts';
import { lock } from './es/lock.ts';
import { onboarding } from './es/onboarding.ts';
import { report } from './es/report.ts';
import { restore } from './es/restore.ts';
import { sets } from './es/sets.ts';
import { settings } from './es/settings.ts';
import { shell } from './es/shell.ts';
import { updates } from './es/updates.ts';

export const es = (): Strings => ({ account: account(), activity: activity(), common: common(), destination: destination(), destinationChoice: destinationChoice(), destinations: destinations(), devices: devices(), drill: drill(), failures: failures(), home: home(), lock: lock(), onboarding: onboarding(), report: report(), restore: restore(), sets: sets(), settings: settings(), shell: shell(), updates: updates() });
