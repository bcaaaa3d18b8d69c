import type { FailureSentences } from '../failure-types.ts';

/** Formats what a store answered. */
const answered = (detail: string | undefined): string => (detail === undefined ? '' : ` (${detail})`);

/** Sentences for stores of files, mostly when they are set up. */
export const storeFailuresDe = {
  'permission_denied:authentication': (details) => ({
    what: `${details.address} nimmt die Anmeldung nicht an.`,
    todo: 'Prüfe den Benutzernamen und das Passwort oder den Schlüssel.',
  }),
  'permission_denied:private-key': (details) => ({
    what: `Der private Schlüssel für ${details.address} lässt sich nicht lesen.`,
    todo: 'Prüfe seine Datei und seine Passphrase. Mit einem öffentlichen Schlüssel (.pub) kann man sich nicht anmelden.',
  }),
  'permission_denied:sftp': (details) => ({
    what: `${details.address} nimmt die Anmeldung an, bietet aber keine Dateien an.`,
    todo: 'Bitte, wer den Server betreibt, SFTP für diesen Benutzer zu erlauben.',
  }),

  destination_unfit: (details) => ({
    what: `${details.directory} kann keine Sicherungen aufnehmen${answered(details.detail)}.`,
    todo: 'Wähle ein anderes Ziel.',
  }),
  'destination_unfit:write': (details) => ({
    what: `In ${details.directory} lässt sich nichts schreiben${answered(details.detail)}.`,
    todo: 'Erlaube diesem Benutzer, dort zu schreiben, und prüfe, ob der Ordner darüber existiert, oder wähle einen anderen.',
  }),
  'destination_unfit:read': (details) => ({
    what: `Eine Datei, die in ${details.directory} geschrieben wurde, lässt sich nicht lesen${answered(details.detail)}.`,
    todo: 'Erlaube diesem Benutzer, dort zu lesen, oder wähle einen anderen Ordner.',
  }),
  'destination_unfit:altered': (details) => ({
    what: `Eine Datei, die in ${details.directory} geschrieben wurde, kam verändert zurück.`,
    todo: 'Frage, wer diesen Speicher betreibt, oder wähle einen anderen.',
  }),
  'destination_unfit:refuse': (details) => ({
    what: `In ${details.directory} schlug es fehl, eine Datei unter einem vergebenen Namen zu schreiben${answered(details.detail)}.`,
    todo: 'Frage, wer diesen Speicher betreibt, oder wähle einen anderen.',
  }),
  'destination_unfit:list': (details) => ({
    what: `Die Dateien in ${details.directory} lassen sich nicht auflisten${answered(details.detail)}.`,
    todo: 'Erlaube diesem Benutzer, dort Ordner aufzulisten, oder wähle einen anderen Ordner.',
  }),
  'destination_unfit:unlisted': (details) => ({
    what: `${details.directory} listet eine Datei nicht auf, die eben geschrieben wurde.`,
    todo: 'Frage, wer diesen Speicher betreibt, oder wähle einen anderen.',
  }),
  'destination_unfit:delete': (details) => ({
    what: `In ${details.directory} ließ sich eine Datei nicht löschen${answered(details.detail)}.`,
    todo: 'Erlaube diesem Benutzer, dort zu löschen, oder wähle einen anderen Ordner.',
  }),
} satisfies Partial<FailureSentences>;
