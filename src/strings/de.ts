import { accountDe } from './de/account.ts';
import { activityDe } from './de/activity.ts';
import { commonDe } from './de/common.ts';
import { destinationDe } from './de/destination.ts';
import { destinationChoiceDe } from './de/destination-choice.ts';
import { destinationsDe } from './de/destinations.ts';
import { devicesDe } from './de/devices.ts';
import { drillDe } from './de/drill.ts';
import { failuresDe } from './de/failures.ts';
import { homeDe } from './de/home.ts';
import { lockDe } from './de/lock.ts';
import { onboardingDe } from './de/onboarding.ts';
import { restoreDe } from './de/restore.ts';
import { setsDe } from './de/sets.ts';
import { settingsDe } from './de/settings.ts';
import { shellDe } from './de/shell.ts';
import { updatesDe } from './de/updates.ts';
import type { Strings } from './en.ts';
import { mapTexts } from './map-texts.ts';

const catalogue: Strings = {
  common: commonDe,
  home: homeDe,
  drill: drillDe,
  onboarding: onboardingDe,
  sets: setsDe,
  restore: restoreDe,
  activity: activityDe,
  destination: destinationDe,
  destinationChoice: destinationChoiceDe,
  destinations: destinationsDe,
  devices: devicesDe,
  settings: settingsDe,
  account: accountDe,
  lock: lockDe,
  failures: failuresDe,
  shell: shellDe,
  updates: updatesDe,
};

/** The German texts, with a no-break space before each ellipsis. */
export const de: Strings = mapTexts(catalogue, (text) => text.replaceAll(' …', '\u00A0…'));
