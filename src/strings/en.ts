import { accountEn } from './en/account.ts';
import { activityEn } from './en/activity.ts';
import { commonEn } from './en/common.ts';
import { destinationEn } from './en/destination.ts';
import { destinationChoiceEn } from './en/destination-choice.ts';
import { destinationsEn } from './en/destinations.ts';
import { devicesEn } from './en/devices.ts';
import { drillEn } from './en/drill.ts';
import { failuresEn } from './en/failures.ts';
import { homeEn } from './en/home.ts';
import { lockEn } from './en/lock.ts';
import { onboardingEn } from './en/onboarding.ts';
import { restoreEn } from './en/restore.ts';
import { setsEn } from './en/sets.ts';
import { settingsEn } from './en/settings.ts';
import { shellEn } from './en/shell.ts';
import { updatesEn } from './en/updates.ts';

/** All texts of the window, the tray and the notifications. */
export const en = {
  common: commonEn,
  home: homeEn,
  drill: drillEn,
  onboarding: onboardingEn,
  sets: setsEn,
  restore: restoreEn,
  activity: activityEn,
  destination: destinationEn,
  destinationChoice: destinationChoiceEn,
  destinations: destinationsEn,
  devices: devicesEn,
  settings: settingsEn,
  account: accountEn,
  lock: lockEn,
  failures: failuresEn,
  shell: shellEn,
  updates: updatesEn,
};

export type Strings = typeof en;
