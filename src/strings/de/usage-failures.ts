import type { FailureSentences } from '../failure-types.ts';

type UsageSentences = Pick<FailureSentences, Extract<keyof FailureSentences, `usage${string}`>>;

export const usageFailuresDe: UsageSentences = {
  usage: (details) => ({ what: details.message, todo: 'Prüfe deine Eingaben und versuche es erneut.' }),
  'usage:service-address': (details) => ({
    what: `„${details.address}“ ist nicht die Adresse eines Dienstes.`,
    todo: 'Gib sie so ein: https://backup.example.org.',
  }),
  'usage:target-relative': (details) => ({
    what: `„${details.target}“ ist kein vollständiger Pfad.`,
    todo: 'Wähle den Ordner in der Liste.',
  }),
  'usage:file-unreadable': (details) => ({
    what: `Die Datei ${details.file} lässt sich nicht lesen${details.reason === undefined ? '' : ` (${details.reason})`}.`,
    todo: 'Prüfe ihren Namen und ihre Zugriffsrechte.',
  }),
  'usage:file-empty': (details) => ({
    what: `Die Datei ${details.file} ist leer.`,
    todo: 'Schreib das Geheimnis in ihre erste Zeile.',
  }),
  'usage:schedule': (details) => ({
    what: `„${details.schedule}“ ist kein Zeitplan.`,
    todo: 'Wähle einen aus der Liste oder prüfe die Cron-Regel.',
  }),
  'usage:preset': (details) => ({
    what: `Die fertige Regel „${details.preset}“ gibt es nicht.`,
    todo: 'Wähle eine aus der Liste.',
  }),
  'usage:set-name': (details) => ({
    what: `„${details.name}“ kann nicht der Name eines Sicherungsplans sein.`,
    todo: 'Verwende 1 bis 100 Zeichen, ohne Leerzeichen am Anfang oder Ende.',
  }),
  'usage:set-without-paths': () => ({
    what: 'Ein Sicherungsplan braucht mindestens einen Ordner.',
    todo: 'Wähle, was du sichern willst.',
  }),
  'usage:hook-command': () => ({
    what: 'Das ist kein Befehl.',
    todo: 'Gib eine Zeile für die Shell ein, oder eine JSON-Liste aus einem Programm und seinen Argumenten.',
  }),
  'usage:ping-address': (details) => ({
    what: `An „${details.address}“ kann Holdfast nichts melden.`,
    todo: 'Gib eine Adresse ein, die mit https:// beginnt, ohne Benutzernamen.',
  }),
  'usage:nested-paths': (details) => ({
    what: `${details.inner} liegt in ${details.outer}, der auch zum Sicherungsplan gehört.`,
    todo: 'Entferne einen der beiden; ein Ordner wird immer mit allem gesichert, was darin ist.',
  }),
  'usage:inside-own-folder': (details) => ({
    what: `${details.path} liegt in ${details.folder}, in dem Holdfast eigene Daten ablegt.`,
    todo: 'Wähle einen anderen Ordner.',
  }),
  'usage:exact-without-rules': (details) => ({
    what: `„${details.set}“ ist kein Sicherungsplan dieses Computers. Deshalb ist nicht bekannt, was er auslässt.`,
    todo: 'Stelle wieder her, ohne wegzuräumen, was es damals nicht gab.',
  }),
  'usage:exact-unread': (details) => ({
    what: `Die Sicherung von ${details.restorePoint} konnte viele Dateien nicht lesen. Deshalb ist nicht bekannt, was es damals gab.`,
    todo: 'Wähle einen anderen Wiederherstellungspunkt, oder stelle diesen wieder her, ohne wegzuräumen, was es damals nicht gab.',
  }),
  'usage:path-escape': (details) => ({
    what: `${details.path} ist kein Pfad in diesem Wiederherstellungspunkt.`,
    todo: 'Wähle ihn in der Liste.',
  }),
  'usage:destination-foreign': (details) => ({
    what: `In ${details.directory} liegen andere Dateien, aber keine Sicherungen von Holdfast.`,
    todo: 'Wähle einen leeren Ordner oder einen neuen.',
  }),
  'usage:destination-newer': (details) => ({
    what: `Eine neuere Version von Holdfast hat in ${details.directory} geschrieben.`,
    todo: 'Installiere die neueste Version auf diesem Computer.',
  }),
  'usage:device-unknown': () => ({
    what: 'Dieser Computer gehört nicht zu denen deines Kontos.',
    todo: 'Prüfe die Liste, oder melde dich mit einem anderen Konto an.',
  }),
  'usage:devices-without-service': () => ({
    what: 'Deine Sicherungen gehen in eigenen Speicher, und der kann keine Computer sperren.',
    todo: 'Um einen Computer auszusperren, entzieh ihm den Zugriff auf diesen Speicher.',
  }),
  'usage:rotation-own-device': () => ({
    what: 'Dieser Computer kann sich nicht selbst entfernen.',
    todo: 'Wechsle den Schlüssel auf einem anderen Computer, der dort weiter sichert.',
  }),
  'usage:code-of-service': () => ({
    what: 'Ein Dienst hat keinen Weg, einem neuen Computer den Schlüssel mit einem Code zu geben.',
    todo: 'Richte den neuen Computer mit deiner Wiederherstellungsphrase oder deinem Sicherungspasswort ein.',
  }),
  'usage:run-unknown': () => ({
    what: 'Dieser Eintrag wird nicht mehr aufbewahrt.',
    todo: 'Geh zurück zur Liste.',
  }),
  'usage:factor-missing': (details) => ({
    what: 'Dein Konto hat noch keinen zweiten Faktor.',
    todo: `Öffne ${details.address} im Browser, richte einen ein und komm zurück.`,
  }),
  'usage:device-id-needed': () => ({
    what: 'Dieser Dienst nimmt neue Computer nicht automatisch auf.',
    todo: 'Wähle einen, den er kennt, oder frage den Betreiber.',
  }),
  'usage:bucket-address': (details) => ({
    what: `„${details.bucket}“ ist nicht die Adresse eines Buckets.`,
    todo: 'Gib sie so ein: s3://mein-bucket oder s3://mein-bucket/ordner.',
  }),
  'usage:bucket-endpoint': (details) => ({
    what: `„${details.endpoint}“ ist kein Endpunkt.`,
    todo: 'Gib ihn so ein: https://s3.example.org, ohne etwas dahinter.',
  }),
  'usage:bucket-keys': () => ({
    what: 'Ein Bucket braucht einen Zugangsschlüssel.',
    todo: 'Gib den Zugangsschlüssel und den geheimen Schlüssel ein.',
  }),
  'usage:rclone-missing': (details) => ({
    what:
      details.found === undefined
        ? 'rclone ist auf diesem Computer nicht installiert oder lässt sich nicht starten.'
        : `Auf diesem Computer ist ${details.found}, und das ist zu alt.`,
    todo: `Installiere rclone ${details.needed} oder neuer von rclone.org und richte dein Cloud-Laufwerk mit „rclone config“ ein.`,
  }),
  'usage:rclone-unreadable': () => ({
    what: 'rclone kann seine Konfiguration nicht lesen.',
    todo: 'Ruf „rclone listremotes“ in einem Terminal auf, um den Grund zu sehen. Eine Konfiguration mit eigenem Passwort geht nicht.',
  }),
  'usage:bucket-unconditional': (details) => ({
    what: `Im Speicher von ${details.bucket} könnten sich die Sicherungen zweier Computer gegenseitig überschreiben.`,
    todo: 'Wähle einen anderen Speicher oder lass diesen aktualisieren.',
  }),
  'usage:bucket-without-locks': (details) => ({
    what: `Der Bucket ${details.bucket} hat keine Objektsperre (Object Lock), oder die Schlüssel dürfen sie nicht abfragen.`,
    todo: 'Wähle einen Bucket, der mit Objektsperre angelegt wurde, oder lass die Option weg.',
  }),
  'usage:ssh-host': (details) => ({
    what: `„${details.host}“ ist nicht der Name eines Servers.`,
    todo: 'Gib einen Namen oder eine IP-Adresse wie nas.local ein und den Ordner in seinem eigenen Feld.',
  }),
  'usage:sftp-address': (details) => ({
    what: `„${details.address}“ ist nicht die Adresse eines Ordners auf einem SSH-Server.`,
    todo: 'Gib sie so ein, ohne Passwort: sftp://anna@nas.local/sicherungen.',
  }),
  'usage:webdav-address': (details) => ({
    what: `„${details.address}“ ist nicht die Adresse eines WebDAV-Ordners.`,
    todo: 'Gib sie so ein, ohne Passwort: https://cloud.example.org/dav/sicherungen.',
  }),
  'usage:rclone-address': (details) => ({
    what: `„${details.address}“ nennt kein Ziel von rclone.`,
    todo: 'Gib es so ein: drive:sicherungen. „rclone config“ richtet Ziele ein.',
  }),
  'usage:host-key-unconfirmed': (details) => ({
    what: `Der Hostschlüssel von ${details.address} ist noch nicht bestätigt: ${details.fingerprint}.`,
    todo: 'Vergleiche ihn mit dem, den dir nennt, wer den Server betreibt.',
  }),
  'usage:host-key-without-ssh': (details) => ({
    what: `${details.address} ist kein SSH-Server und hat deshalb keinen Hostschlüssel.`,
    todo: 'Dort ist nichts zu bestätigen.',
  }),
  'usage:ssh-key-missing': (details) => ({
    what: `Auf diesem Computer gibt es keinen SSH-Schlüssel für ${details.address}.`,
    todo: 'Wähle eine Schlüsseldatei oder gib ein Passwort ein.',
  }),
  'usage:limit-without-service': () => ({
    what: 'Begrenzungen für das Netzwerk gelten nur für Dienste; deine Sicherungen gehen in eigenen Speicher.',
    todo: 'Lass sie leer.',
  }),
  'usage:check-of-service': ({ address }) => ({
    what: `${address} ist ein Dienst und kümmert sich selbst um seinen Speicher.`,
    todo: 'Prüfe stattdessen die Wiederherstellungspunkte deiner Sicherungspläne.',
  }),
  'usage:passphrase-empty': () => ({
    what: 'Das Sicherungspasswort ist leer.',
    todo: 'Gib eine ein.',
  }),
  'usage:destination-kind': () => ({
    what: 'Deine Sicherungen liegen an einem Ziel anderer Art.',
    todo: 'Beginne dort stattdessen neue Sicherungen.',
  }),
  'usage:destination-same': (details) => ({
    what: `Deine Sicherungen gehen schon an das Ziel ${details.directory}.`,
    todo: 'Wähle ein anderes Ziel.',
  }),
  'usage:destination-other': (details) => ({
    what: `${details.directory} enthält nicht die Sicherungen dieses Computers.`,
    todo: 'Wähle, wo sie jetzt liegen, oder beginne dort neue Sicherungen.',
  }),
  'usage:destination-last': () => ({
    what: 'Das ist das einzige Ziel.',
    todo: 'Füge ein anderes hinzu, bevor du es entfernst.',
  }),
  'usage:destination-name': (details) => ({
    what: `„${details.name}“ kann kein Ziel heißen.`,
    todo: 'Wähle einen Namen aus 1 bis 100 Zeichen in einer Zeile.',
  }),
  'usage:destination-older': (details) => ({
    what: `Am Ziel ${details.directory} fehlt die neueste Sicherung von „${details.set}“: Es ist vielleicht eine ältere Kopie.`,
    todo: 'Wähle das Ziel mit allen Sicherungen, oder beginne dort neue Sicherungen.',
  }),
};
