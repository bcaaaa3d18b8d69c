import type { FailureSentences } from '../failure-types.ts';
import { counterOf } from '../plural.ts';

type WindowKeys = 'agent_gone' | 'internal' | 'refused' | `lock_${string}` | `refused:${string}`;

const count = counterOf('en');

const inAWhile = (seconds: number | undefined): string => {
  if (seconds === undefined) return 'Try again.';
  const wait = seconds < 60 ? count(seconds, 'second', 'seconds') : count(Math.ceil(seconds / 60), 'minute', 'minutes');
  return `Try again in ${wait}.`;
};

export const windowFailuresEn: Pick<FailureSentences, Extract<keyof FailureSentences, WindowKeys>> = {
  'refused:locked': () => ({ what: 'Holdfast is locked.', todo: 'Unlock it first.' }),
  'refused:lock-off': () => ({
    what: 'No password is set for the lock.',
    todo: 'Set one in Settings, under Security.',
  }),
  lock_password_wrong: (details) => ({
    what: 'This is not the lock password.',
    todo: inAWhile(details.seconds),
  }),
  lock_password_needed: () => ({ what: 'This needs the lock password.', todo: 'Enter it and try again.' }),
  lock_wait: (details) => ({ what: 'Several wrong passwords were entered.', todo: inAWhile(details.seconds) }),
  lock_damaged: () => ({
    what: 'The file with the lock password cannot be read.',
    todo: 'Unlock with your recovery phrase, and set a new password.',
  }),
  refused: () => ({
    what: 'Holdfast did not accept this from the window.',
    todo: 'Close the window and open it again.',
  }),
  'refused:listing-closed': () => ({
    what: 'This folder was closed because many others were opened after it.',
    todo: 'Open it again.',
  }),
  'refused:phrase-confirmed': () => ({
    what: 'Your recovery phrase is already confirmed.',
    todo: 'You can see it again in Settings, under Security.',
  }),
  'refused:no-service': () => ({
    what: 'Your backups do not go to a service, so there is nothing to sign in to.',
    todo: 'Close the window and open it again.',
  }),
  'refused:link': () => ({
    what: 'Holdfast does not open this address.',
    todo: 'Copy it into your browser if you trust it.',
  }),
  'refused:person': () => ({
    what: 'Your system could not confirm that it’s you.',
    todo: 'Try again.',
  }),
  agent_gone: () => ({
    what: 'Holdfast’s background process stopped and is restarting.',
    todo: 'Try again in a moment.',
  }),
  internal: () => ({
    what: 'Something went wrong in Holdfast.',
    todo: 'Try again. If it keeps happening, export the diagnostics in Settings and ask for help with them.',
  }),
};
