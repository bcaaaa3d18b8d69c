// Compiled from the catalogues by `npm run texts`. Do not edit.
import { account } from './en/account.ts';
import { activity } from './en/activity.ts';
import { common } from './en/common.ts';
import { destination } from './en/destination.ts';
import { destinationChoice } from './en/destination-choice.ts';
import { destinations } from './en/destinations.ts';
import { devices } from './en/devices.ts';
import { drill } from './en/drill.ts';
import { failures } from './en/failures.ts';
import { home } from './en/home.ts';
import { lock } from './en/lock.ts';
import { onboarding } from './en/onboarding.ts';
import { report } from './en/report.ts';
import { restore } from './en/restore.ts';
import { sets } from './en/sets.ts';
import { settings } from './en/settings.ts';
import { shell } from './en/shell.ts';
import { updates } from './en/updates.ts';

export const en = { account, activity, common, destination, destinationChoice, destinations, devices, drill, failures, home, lock, onboarding, report, restore, sets, settings, shell, updates };

export type Strings = typeof en;
