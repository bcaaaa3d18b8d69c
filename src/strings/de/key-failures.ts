import type { FailureSentences } from '../failure-types.ts';

/** Sentences about a key that was changed. */
type KeySentences = Pick<
  FailureSentences,
  Extract<keyof FailureSentences, `key_${string}` | 'chunk_tampered:epoch' | 'tree_invalid:revoked'>
>;

export const keyFailuresDe: KeySentences = {
  key_outdated: () => ({
    what: 'Der Schlüssel dieser Sicherungen wurde gewechselt, und dieser Computer hat den neuen nicht. Was vorher gesichert wurde, lässt sich hier wiederherstellen.',
    todo: 'Gib auf diesem Computer die neue Wiederherstellungsphrase ein, um weiter zu sichern. Wurde der Computer absichtlich entfernt, lass es so.',
  }),
  'key_outdated:removed': () => ({
    what: 'Dieser Computer wurde von diesen Sicherungen entfernt, als ihr Schlüssel gewechselt wurde.',
    todo: 'Um wieder zu sichern, beginne an diesem Ziel mit der neuen Wiederherstellungsphrase neu (Einstellungen, Ziel).',
  }),
  key_changed: () => ({
    what: 'Der Schlüssel dieser Sicherungen wurde während des Laufs gewechselt.',
    todo: 'Starte die Sicherung erneut. Sie wird dort fortgesetzt, wo sie aufgehört hat.',
  }),
  key_code_wrong: () => ({
    what: 'Dieser Code öffnet den Schlüssel dieser Sicherungen nicht, oder er ist abgelaufen.',
    todo: 'Erzeuge einen neuen auf einem Computer, der dorthin sichert. Jeder gilt einmal, 15 Minuten lang.',
  }),
  'tree_invalid:revoked': () => ({
    what: 'Dieser Wiederherstellungspunkt wurde von einem Computer erstellt, der entfernt worden war. Ihm wird nicht vertraut.',
    todo: 'Wähle einen früheren Wiederherstellungspunkt. Lässt der Dienst jenen Computer noch ein, sperre ihn dort.',
  }),
  'chunk_tampered:epoch': () => ({
    what: 'Ein Teil dieser Sicherung ist mit einem neueren Schlüssel versiegelt, als dieser Computer hat.',
    todo: 'Gib auf diesem Computer die neue Wiederherstellungsphrase ein.',
  }),
};
