import { diskProblemOf } from '../../base/failure.ts';
import type { FailureSentences } from '../failure-types.ts';

/** Formats what a store answered. */
const answered = (detail: string | undefined): string => (detail === undefined ? '' : ` (${detail})`);

/** Sentences for stores of files, and for disks and memory that fail. */
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
  'permission_denied:bucket-write': (details) => ({
    what: `Mit diesen Schlüsseln lässt sich ${details.bucket} lesen, aber nicht beschreiben.`,
    todo: 'Erlaube ihnen, dort Objekte anzulegen, oder verwende andere.',
  }),
  'permission_denied:bucket-read': (details) => ({
    what: `Mit diesen Schlüsseln lässt sich ${details.bucket} beschreiben, aber nicht lesen.`,
    todo: 'Erlaube ihnen, dort Objekte zu lesen, oder verwende andere.',
  }),
  'permission_denied:bucket-delete': (details) => ({
    what: `Mit diesen Schlüsseln lässt sich in ${details.bucket} nichts löschen.`,
    todo: 'Erlaube ihnen, dort Objekte zu löschen, oder verwende andere. Andernfalls lassen sich alte Wiederherstellungspunkte nicht entfernen.',
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

  'destination_unwritable:EIO': (details) => ({
    what: `Das Laufwerk von ${details.directory} meldet Fehler.`,
    todo: 'Prüfe das Laufwerk und sein Kabel. Eine Prüfung, die alle Daten liest, findet die Dateien, die es verloren hat.',
  }),
  'destination_unwritable:ENOTDIR': (details) => ({
    what: `${details.directory} ist beschädigt: Dort ist eine Datei, wo ein Ordner sein müsste.`,
    todo: 'Prüfe das Laufwerk. Hast du eine Kopie dieses Ordners, spiele sie zurück.',
  }),
  'destination_missing:failing': (details) => ({
    what: `Das Laufwerk von ${details.directory} meldet Fehler: Es wurde abgezogen oder ist defekt.`,
    todo: 'Schließe es wieder an und versuche es erneut. Hilft das nicht, prüfe das Laufwerk und sein Kabel.',
  }),
  'destination_missing:hidden': (details) => ({
    what: `Die Sicherungen in ${details.directory} wurden gelöscht, aber der Bucket hat ihre Dateien noch.`,
    todo: 'Ruf „holdfast repair“ auf oder repariere das Ziel in seinen Einstellungen, und ändere die Schlüssel des Buckets.',
  }),
  'destination_missing:undescribed': (details) => ({
    what: `Die Datei holdfast.json in ${details.directory} ist beschädigt und ihre Kopie auch.`,
    todo: 'Führe „holdfast repair“ aus. Damit werden beide neu geschrieben.',
  }),

  home_unwritable: ({ file = 'Der eigene Ordner von Holdfast', problem }) => {
    const disk = diskProblemOf(problem);
    if (disk === undefined) {
      return { what: `${file} lässt sich nicht beschreiben.`, todo: 'Prüfe, ob du dort schreiben darfst.' };
    }
    if (disk === 'full') {
      return {
        what: `Auf dem Laufwerk dieser Datei ist kein Platz mehr: ${file}.`,
        todo: 'Gib dort Speicherplatz frei und versuche es erneut.',
      };
    }
    return disk === 'failing'
      ? {
          what: `Das Laufwerk dieser Datei meldet einen Fehler: ${file}. Es wurde abgezogen oder ist defekt.`,
          todo: 'Schließe es wieder an, prüfe es und sein Kabel und versuche es erneut.',
        }
      : {
          what: `Das Laufwerk dieser Datei meldet einen Fehler: ${file}. Es ist voll, wurde abgezogen oder ist defekt.`,
          todo: 'Gib dort Speicherplatz frei, prüfe das Laufwerk und sein Kabel und versuche es erneut.',
        };
  },

  system_failed: (details) => ({
    what: `${details.path ?? 'Eine Datei'} ließ sich nicht verwenden (${details.system}).`,
    todo: 'Versuche es erneut. Keine Sicherung hat Schaden genommen.',
  }),
  'system_failed:full': (details) => ({
    what: `Es ist kein Platz mehr frei${details.path === undefined ? ' auf einem Laufwerk dieses Computers' : ` für ${details.path}`} (${details.system}).`,
    todo: 'Gib Speicherplatz frei und versuche es erneut. Keine Sicherung hat Schaden genommen.',
  }),
  'system_failed:disk': (details) => ({
    what: `Das Laufwerk von ${details.path ?? 'einer benötigten Datei'} meldet einen Fehler (${details.system}): Es wurde abgezogen oder ist defekt.`,
    todo: 'Schließe es wieder an und versuche es erneut. Hilft das nicht, prüfe das Laufwerk und sein Kabel.',
  }),
  'system_failed:memory': (details) => ({
    what: `Dieser Computer hat zu wenig freien Arbeitsspeicher (${details.system}).`,
    todo: 'Schließe andere Programme und versuche es erneut. Keine Sicherung hat Schaden genommen.',
  }),
  'system_failed:files': (details) => ({
    what: `Auf diesem Computer sind zu viele Dateien geöffnet (${details.system}).`,
    todo: 'Schließe andere Programme und versuche es erneut. Keine Sicherung hat Schaden genommen.',
  }),
} satisfies Partial<FailureSentences>;
