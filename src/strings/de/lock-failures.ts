import type { FailureFacts } from '../failure-facts.ts';
import type { lockFailuresEn } from '../en/lock-failures.ts';
import { counterOf } from '../plural.ts';

const count = counterOf('de');

const inAWhile = (facts: FailureFacts): string => {
  const seconds = facts.number('seconds');
  if (seconds === undefined) return 'Versuche es noch einmal.';
  const wait =
    seconds < 60 ? count(seconds, 'Sekunde', 'Sekunden') : count(Math.ceil(seconds / 60), 'Minute', 'Minuten');
  return `Versuche es in ${wait} noch einmal.`;
};

export const lockFailuresDe: typeof lockFailuresEn = {
  'refused:locked': () => ({ what: 'Holdfast ist gesperrt.', todo: 'Entsperre es zuerst.' }),
  'refused:lock-off': () => ({
    what: 'Für die Sperre ist kein Passwort festgelegt.',
    todo: 'Lege in den Einstellungen unter „Sicherheit“ eines fest.',
  }),
  lock_password_wrong: (facts) => ({ what: 'Das ist nicht das Passwort der Sperre.', todo: inAWhile(facts) }),
  lock_password_needed: () => ({
    what: 'Dafür wird das Passwort der Sperre gebraucht.',
    todo: 'Gib es ein und versuche es noch einmal.',
  }),
  lock_wait: (facts) => ({ what: 'Das Passwort war mehrmals falsch.', todo: inAWhile(facts) }),
  lock_damaged: () => ({
    what: 'Die Datei mit dem Passwort der Sperre ist nicht lesbar.',
    todo: 'Entsperre mit deiner Wiederherstellungsphrase und lege ein neues Passwort fest.',
  }),
};
