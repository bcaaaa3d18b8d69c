import type { FailureSentences } from '../failure-types.ts';
import { counterOf } from '../plural.ts';

type WindowKeys = 'agent_gone' | 'internal' | 'refused' | `lock_${string}` | `refused:${string}`;

const count = counterOf('de');

const inAWhile = (seconds: number | undefined): string => {
  if (seconds === undefined) return 'Versuche es erneut.';
  const wait =
    seconds < 60 ? count(seconds, 'Sekunde', 'Sekunden') : count(Math.ceil(seconds / 60), 'Minute', 'Minuten');
  return `Versuche es in ${wait} erneut.`;
};

export const windowFailuresDe: Pick<FailureSentences, Extract<keyof FailureSentences, WindowKeys>> = {
  'refused:locked': () => ({ what: 'Holdfast ist gesperrt.', todo: 'Entsperre es zuerst.' }),
  'refused:lock-off': () => ({
    what: 'Für die Sperre ist kein Passwort festgelegt.',
    todo: 'Lege in den Einstellungen unter „Sicherheit“ eines fest.',
  }),
  lock_password_wrong: (details) => ({
    what: 'Das ist nicht das Passwort der Sperre.',
    todo: inAWhile(details.seconds),
  }),
  lock_password_needed: () => ({
    what: 'Dafür wird das Passwort der Sperre gebraucht.',
    todo: 'Gib es ein und versuche es erneut.',
  }),
  lock_wait: (details) => ({ what: 'Das Passwort war mehrmals falsch.', todo: inAWhile(details.seconds) }),
  lock_damaged: () => ({
    what: 'Die Datei mit dem Passwort der Sperre ist nicht lesbar.',
    todo: 'Entsperre mit deiner Wiederherstellungsphrase und lege ein neues Passwort fest.',
  }),
  refused: () => ({
    what: 'Holdfast hat das aus diesem Fenster nicht angenommen.',
    todo: 'Schließe das Fenster und öffne es wieder.',
  }),
  'refused:listing-closed': () => ({
    what: 'Dieser Ordner wurde geschlossen, weil danach viele andere geöffnet wurden.',
    todo: 'Öffne ihn erneut.',
  }),
  'refused:phrase-confirmed': () => ({
    what: 'Deine Wiederherstellungsphrase ist schon bestätigt.',
    todo: 'Du findest sie in den Einstellungen unter „Sicherheit“.',
  }),
  'refused:no-service': () => ({
    what: 'Deine Sicherungen gehen nicht zu einem Dienst, deshalb gibt es nichts anzumelden.',
    todo: 'Schließe das Fenster und öffne es wieder.',
  }),
  'refused:link': () => ({
    what: 'Holdfast öffnet diese Adresse nicht.',
    todo: 'Kopiere sie in deinen Browser, wenn du ihr vertraust.',
  }),
  'refused:person': () => ({
    what: 'Dein System hat nicht bestätigt, dass du es bist.',
    todo: 'Versuche es erneut.',
  }),
  agent_gone: () => ({
    what: 'Der Hintergrundprozess von Holdfast wurde beendet und startet gerade neu.',
    todo: 'Versuche es gleich erneut.',
  }),
  internal: () => ({
    what: 'In Holdfast ist etwas schiefgegangen.',
    todo: 'Versuche es erneut. Wenn das Problem weiterhin besteht, exportiere in den Einstellungen die Diagnose und bitte damit um Hilfe.',
  }),
};
