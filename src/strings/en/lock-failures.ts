import type { FailureFacts } from '../failure-facts.ts';
import type { Describe } from '../failure-sentence.ts';
import { counterOf } from '../plural.ts';

const count = counterOf('en');

const inAWhile = (facts: FailureFacts): string => {
  const seconds = facts.number('seconds');
  if (seconds === undefined) return 'Try again.';
  const wait = seconds < 60 ? count(seconds, 'second', 'seconds') : count(Math.ceil(seconds / 60), 'minute', 'minutes');
  return `Try again in ${wait}.`;
};

/** Of the window's lock. */
export const lockFailuresEn = {
  'refused:locked': () => ({ what: 'Holdfast is locked.', todo: 'Unlock it first.' }),
  'refused:lock-off': () => ({
    what: 'No password is set for the lock.',
    todo: 'Set one in Settings, under Security.',
  }),
  lock_password_wrong: (facts) => ({ what: 'This is not the password of the lock.', todo: inAWhile(facts) }),
  lock_password_needed: () => ({ what: 'This needs the password of the lock.', todo: 'Enter it and try again.' }),
  lock_wait: (facts) => ({ what: 'There were several wrong passwords.', todo: inAWhile(facts) }),
  lock_damaged: () => ({
    what: 'The file with the password of the lock cannot be read.',
    todo: 'Unlock with your recovery phrase, and set a new password.',
  }),
} satisfies Readonly<Record<string, Describe>>;
