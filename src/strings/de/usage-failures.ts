import type { usageFailuresEn } from '../en/usage-failures.ts';

export const usageFailuresDe: typeof usageFailuresEn = {
  usage: (facts) => ({
    what: facts.text(
      'message',
      facts.has('address') ? `„${facts.text('address')}“ ist nicht die Adresse eines Dienstes.` : 'So geht das nicht.',
    ),
    todo: facts.has('address')
      ? 'Gib sie so ein: https://backup.example.org.'
      : 'Prüfe deine Eingaben und versuche es noch einmal.',
  }),
  'usage:schedule': (facts) => ({
    what: `„${facts.text('schedule')}“ ist kein Zeitplan.`,
    todo: 'Wähle einen aus der Liste oder prüfe die Cron-Regel.',
  }),
  'usage:preset': (facts) => ({
    what: `Die fertige Regel „${facts.text('preset')}“ gibt es nicht.`,
    todo: 'Wähle eine aus der Liste.',
  }),
  'usage:set-name': (facts) => ({
    what: `„${facts.text('name')}“ kann nicht der Name eines Sicherungsplans sein.`,
    todo: 'Nimm 1 bis 100 Zeichen, ohne Leerzeichen am Anfang oder Ende.',
  }),
  'usage:set-without-paths': () => ({
    what: 'Ein Sicherungsplan braucht mindestens einen Ordner.',
    todo: 'Wähle, was du sichern willst.',
  }),
  'usage:nested-paths': (facts) => ({
    what: `${facts.text('inner', 'Ein Ordner')} liegt in ${facts.text('outer', 'einem anderen')}, der auch zum Sicherungsplan gehört.`,
    todo: 'Nimm einen der beiden heraus; ein Ordner wird immer mit allem gesichert, was darin ist.',
  }),
  'usage:inside-own-folder': (facts) => ({
    what: `${facts.text('path', 'Dieser Ordner')} liegt in ${facts.text('folder', 'einem Ordner')}, in dem Holdfast eigene Daten ablegt.`,
    todo: 'Wähle einen anderen Ordner.',
  }),
  'usage:path-escape': (facts) => ({
    what: `${facts.text('path', 'Das')} ist kein Pfad in diesem Wiederherstellungspunkt.`,
    todo: 'Wähle ihn in der Liste.',
  }),
  'usage:destination-foreign': (facts) => ({
    what: `In ${facts.text('directory', 'diesem Ordner')} liegen andere Dateien, aber keine Sicherungen von Holdfast.`,
    todo: 'Wähle einen leeren Ordner oder einen neuen.',
  }),
  'usage:destination-newer': (facts) => ({
    what: `Eine neuere Version von Holdfast hat in ${facts.text('directory', 'diesen Ordner')} geschrieben.`,
    todo: 'Installiere die neueste Version auf diesem Computer.',
  }),
  'usage:device-unknown': () => ({
    what: 'Dieser Computer gehört nicht zu denen deines Kontos.',
    todo: 'Sieh noch einmal in die Liste oder melde dich mit einem anderen Konto an.',
  }),
  'usage:devices-without-service': () => ({
    what: 'Deine Sicherungen gehen in einen Ordner oder Bucket, und die können keine Computer sperren.',
    todo: 'Um einen Computer fernzuhalten, nimm ihm den Ordner oder die Schlüssel des Buckets.',
  }),
  'usage:run-unknown': () => ({
    what: 'Dieser Eintrag wird nicht mehr aufbewahrt.',
    todo: 'Geh zurück zur Liste.',
  }),
  'usage:factor-missing': (facts) => ({
    what: 'Dein Konto hat noch keinen zweiten Faktor.',
    todo: `Öffne ${facts.text('address', 'den Dienst')} im Browser, richte einen ein und komm zurück.`,
  }),
  'usage:device-id-needed': () => ({
    what: 'Dieser Dienst nimmt neue Computer nicht von selbst auf.',
    todo: 'Wähle einen, den er kennt, oder frage den Betreiber.',
  }),
  'usage:bucket-address': (facts) => ({
    what: `„${facts.text('bucket')}“ ist nicht die Adresse eines Buckets.`,
    todo: 'Gib sie so ein: s3://mein-bucket oder s3://mein-bucket/ordner.',
  }),
  'usage:bucket-endpoint': (facts) => ({
    what: `„${facts.text('endpoint')}“ ist kein Endpunkt.`,
    todo: 'Gib ihn so ein: https://s3.example.org, ohne etwas dahinter.',
  }),
  'usage:bucket-keys': () => ({
    what: 'Ein Bucket braucht einen Zugangsschlüssel.',
    todo: 'Gib den Zugangsschlüssel und den geheimen Schlüssel ein.',
  }),
  'usage:bucket-unconditional': (facts) => ({
    what: `Wo ${facts.text('bucket', 'dieser Bucket')} liegt, könnten sich Sicherungen zweier Computer gegenseitig überschreiben.`,
    todo: 'Wähle einen anderen Speicher oder lass diesen aktualisieren.',
  }),
  'usage:limit-without-service': () => ({
    what: 'Begrenzungen für das Netzwerk gelten nur für Dienste; deine Sicherungen gehen in einen Ordner oder Bucket.',
    todo: 'Lass sie leer.',
  }),
  'usage:passphrase-empty': () => ({
    what: 'Die Passphrase ist leer.',
    todo: 'Gib eine ein.',
  }),
};
