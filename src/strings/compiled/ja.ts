// Compiled from the catalogues by `npm run texts`. Do not edit.
import type { Strings } from './en.ts';
import { account } from './ja/account.ts';
import { activity } from './ja/activity.ts';
import { common } from './ja/common.ts';
import { destination } from './ja/destination.ts';
import { destinationChoice } from './ja/destination-choice.ts';
import { destinations } from './ja/destinations.ts';
import { devices } from './ja/devices.ts';
import { drill } from './ja/drill.ts';
import { failures } from './ja/failures.ts';
import { home } from './ja/home.ts';
import { lock } from './ja/lock.ts';
import { onboarding } from './ja/onboarding.ts';
import { report } from './ja/report.ts';
import { restore } from './ja/restore.ts';
import { sets } from './ja/sets.ts';
import { settings } from './ja/settings.ts';
import { shell } from './ja/shell.ts';
import { updates } from './ja/updates.ts';

export const ja = (): Strings => ({ account: account(), activity: activity(), common: common(), destination: destination(), destinationChoice: destinationChoice(), destinations: destinations(), devices: devices(), drill: drill(), failures: failures(), home: home(), lock: lock(), onboarding: onboarding(), report: report(), restore: restore(), sets: sets(), settings: settings(), shell: shell(), updates: updates() });
