import type { FailureFormats, FailureSentences } from '../failure-types.ts';
import { usageFailuresDe } from './usage-failures.ts';
import { keyFailuresDe } from './key-failures.ts';
import { restoreFailuresDe } from './restore-failures.ts';
import { storeFailuresDe } from './store-failures.ts';
import { windowFailuresDe } from './window-failures.ts';
import { reasonsDe } from './reasons.ts';

const moment = (time: string, formats: FailureFormats): string =>
  Number.isNaN(Date.parse(time)) ? time : formats.dateTime(time);

const minutes = (milliseconds: number, formats: FailureFormats): string =>
  formats.duration(Math.round(Math.abs(milliseconds) / 60_000) * 60);

const sentences: FailureSentences = {
  ...usageFailuresDe,
  ...windowFailuresDe,
  ...restoreFailuresDe,
  ...storeFailuresDe,
  ...keyFailuresDe,

  // requests
  set_unknown: (details) => ({
    what: `Den Sicherungsplan „${details.set}“ gibt es nicht mehr.`,
    todo: 'Wähle einen unter „Sicherungspläne“.',
  }),
  set_exists: (details) => ({
    what: `Den Sicherungsplan „${details.set}“ gibt es schon.`,
    todo: 'Wähle einen anderen Namen.',
  }),
  destination_unknown: (details) => ({
    what:
      details.destination === undefined
        ? 'Dieses Ziel wurde entfernt.'
        : `Das Ziel „${details.destination}“ gibt es nicht mehr.`,
    todo: 'Wähle unter „Einstellungen“ ein anderes.',
  }),
  destination_exists: (details) => ({
    what: `Das Ziel „${details.destination}“ gibt es schon.`,
    todo: 'Wähle einen anderen Namen.',
  }),
  path_not_found: (details) => ({
    what: `${details.path} ist in diesem Wiederherstellungspunkt nicht enthalten.`,
    todo: 'Gehe zum übergeordneten Ordner und wähle erneut, oder suche in einem anderen Wiederherstellungspunkt.',
  }),
  no_restore_point: (details, formats) => ({
    what:
      details.time !== undefined
        ? `Es gibt keinen Wiederherstellungspunkt vom ${moment(details.time, formats)} oder davor.`
        : 'Es gibt noch keinen Wiederherstellungspunkt.',
    todo:
      details.time !== undefined
        ? 'Wähle einen späteren.'
        : 'Sichere zuerst; danach kannst du von hier wiederherstellen.',
  }),
  time_invalid: (details) => ({
    what: `„${details.time}“ ist kein gültiger Zeitpunkt.`,
    todo: 'Wähle einen aus der Liste.',
  }),
  not_set_up: () => ({
    what: 'Holdfast ist auf diesem Computer noch nicht eingerichtet.',
    todo: 'Wähle, wohin gesichert wird.',
  }),
  already_set_up: (details) => ({
    what: `Holdfast ist auf diesem Computer schon eingerichtet, mit ${details.destination}.`,
    todo: 'Schließe dieses Fenster und öffne es wieder, um deine Sicherungen zu sehen.',
  }),

  // sources
  source_missing: (details) => ({
    what: `${details.path} wurde nicht gefunden. Nichts wurde als gelöscht vermerkt.`,
    todo: 'Schließe das Laufwerk an, stelle den Ordner wieder her, oder entferne ihn aus dem Sicherungsplan.',
  }),
  source_unreadable: (details) => ({
    what: `${details.path} lässt sich nicht lesen.`,
    todo: 'Prüfe, ob du ihn öffnen darfst, und sichere dann erneut.',
  }),
  'source_unreadable:reserved-path': (details) => ({
    what: `Unter ${details.path} führt Holdfast in Sicherungen eigene Einträge.`,
    todo: 'Wähle einen anderen Ordner.',
  }),
  source_not_mounted: (details) => ({
    what: `${details.path} ist ein Einhängepunkt, dessen Laufwerk fehlt. Nichts wurde als gelöscht vermerkt.`,
    todo: 'Schließe das Laufwerk an und sichere erneut. Wenn du es nicht mehr brauchst, entferne es aus dem Sicherungsplan.',
  }),
  source_empty: (details) => ({
    what: `${details.path} ist auf einmal leer; die letzte Sicherung fand dort noch Dateien. Nichts wurde als gelöscht vermerkt.`,
    todo: 'Prüfe, ob das Laufwerk angeschlossen ist. Wenn der Ordner leer sein soll, entferne ihn aus dem Sicherungsplan.',
  }),

  command_failed: ({ exitCode }) => ({
    what:
      exitCode === undefined
        ? 'Der Befehl vor der Sicherung wurde beendet. Es wurde nicht gesichert.'
        : `Der Befehl vor der Sicherung endete mit dem Fehlercode ${exitCode}. Es wurde nicht gesichert.`,
    todo: 'Sieh im Plan unter „Davor und danach“ nach, was er ausgegeben hat.',
  }),
  'command_failed:timeout': ({ seconds }, formats) => ({
    what: `Der Befehl vor der Sicherung war nach ${formats.duration(seconds)} nicht fertig und wurde beendet. Es wurde nicht gesichert.`,
    todo: 'Sieh im Plan unter „Davor und danach“ nach, was er ausgegeben hat, oder gib ihm mehr Zeit.',
  }),
  'command_failed:not-started': () => ({
    what: 'Der Befehl vor der Sicherung lässt sich nicht starten. Es wurde nicht gesichert.',
    todo: 'Prüfe im Plan unter „Davor und danach“, ob es sein Programm gibt und ob es ausführbar ist.',
  }),

  // keys and sign-in
  keychain_unavailable: () => ({
    what: 'Der Schlüsselbund dieses Computers lässt sich gerade nicht verwenden.',
    todo: 'Entsperre ihn oder melde dich neu am Computer an. Deine Schlüssel bleiben, wo sie sind.',
  }),
  phrase_invalid: () => ({
    what: 'Das ist keine Wiederherstellungsphrase.',
    todo: 'Vergleiche sie Wort für Wort mit deinem Notfallblatt.',
  }),
  'phrase_invalid:words': (details) => ({
    what: `Eine Wiederherstellungsphrase hat 24 Wörter; diese hat ${details.count}.`,
    todo: 'Gib alle 24 Wörter in ihrer Reihenfolge ein.',
  }),
  'phrase_invalid:unknown-word': (details) => ({
    what: `Wort ${details.position}, „${details.word}“, kommt in Wiederherstellungsphrasen nicht vor.`,
    todo: details.suggestion !== undefined ? `Meinst du „${details.suggestion}“?` : 'Prüfe, wie es geschrieben ist.',
  }),
  'phrase_invalid:checksum': () => ({
    what: 'Die Wörter sind gültig, aber eines ist falsch oder steht an der falschen Stelle.',
    todo: 'Vergleiche sie Wort für Wort mit deinem Notfallblatt.',
  }),
  phrase_other_account: ({ backupSet }) =>
    backupSet === undefined
      ? {
          what: 'Diese Wiederherstellungsphrase ist gültig, öffnet aber nicht die Sicherungen an diesem Ziel.',
          todo: 'Verwende die Phrase, die beim Einrichten dieser Sicherungen gezeigt wurde, oder wähle ein anderes Ziel.',
        }
      : {
          what: 'Ein anderer Computer dieses Kontos wurde vor diesem eingerichtet, und seine Sicherungen haben einen anderen Schlüssel. Es wurde nichts gesichert, weil seine Wiederherstellungsphrase es nicht öffnen würde.',
          todo: 'Richte diesen Computer mit der Wiederherstellungsphrase des anderen erneut ein. Die hier gezeigte Phrase öffnet nichts.',
        },
  phrase_needed: () => ({
    what: 'An diesem Ziel wurde zuerst ein anderer Computer eingerichtet, und nur seine Wiederherstellungsphrase öffnet die Sicherungen dort.',
    todo: 'Gib die Phrase von seinem Notfallblatt ein oder wähle ein anderes Ziel.',
  }),
  passphrase_wrong: () => ({
    what: 'Dieses Sicherungspasswort öffnet diese Sicherungen nicht.',
    todo: 'Versuche es erneut oder verwende deine Wiederherstellungsphrase.',
  }),
  password_wrong: () => ({
    what: 'Diese E-Mail-Adresse und dieses Passwort passen beim Dienst nicht zusammen.',
    todo: 'Prüfe beides und versuche es erneut.',
  }),
  code_needed: () => ({
    what: 'Der Dienst verlangt zusätzlich einen Code.',
    todo: 'Gib die sechs Ziffern ein, die deine Authenticator-App zeigt.',
  }),
  code_wrong: () => ({
    what: 'Der Dienst nimmt diesen Code nicht an.',
    todo: 'Warte auf den nächsten Code deiner Authenticator-App und gib ihn ein; jeder gilt nur einmal.',
  }),
  provider_refused: (details) => ({
    what:
      details.detail !== undefined
        ? `Die Anmeldung im Browser ist nicht gelungen: ${details.detail}.`
        : 'Die Anmeldung im Browser ist nicht gelungen.',
    todo: 'Versuche es erneut. Wenn das Problem weiterhin besteht, frage den Betreiber des Dienstes, ob du dort ein Konto hast.',
  }),
  signed_out: () => ({
    what: 'Deine Anmeldung beim Dienst ist abgelaufen.',
    todo: 'Melde dich wieder an. Deine Wiederherstellungspunkte bleiben, wo sie sind.',
  }),
  device_refused: () => ({
    what: 'Der Dienst kennt diesen Computer nicht mehr; vielleicht wurde er gesperrt.',
    todo: 'Beginne bei diesem Dienst neue Sicherungen (Einstellungen, Ziel), oder frage, wer dein Konto verwaltet. Deine Wiederherstellungspunkte bleiben, wo sie sind.',
  }),
  device_cloned: () => ({
    what: 'Ein anderer Computer führt die Sicherungen von diesem fort, wie nach dem Kopieren seiner Festplatte.',
    todo: 'Beginne an diesem Ziel unter eigenem Namen neu (Einstellungen, Ziel). Deine Wiederherstellungspunkte bleiben, wo sie sind.',
  }),
  clock_wrong: (details, formats) => ({
    what:
      details.aheadMs !== undefined
        ? `Die Uhr dieses Computers geht gegenüber der des Dienstes ${minutes(details.aheadMs, formats)} ${details.aheadMs > 0 ? 'vor' : 'nach'}.`
        : 'Die Uhr dieses Computers und die des Dienstes gehen zu weit auseinander.',
    todo: 'Stelle die Uhr in den Einstellungen deines Systems und versuche es erneut.',
  }),
  permission_denied: (details) =>
    details.bucket !== undefined
      ? {
          what: `${details.bucket} nimmt diese Schlüssel nicht an.`,
          todo: 'Prüfe Zugangsschlüssel, Endpunkt und Region und was die Schlüssel dort dürfen.',
        }
      : {
          what: 'Der Dienst erlaubt dir das nicht.',
          todo: 'Melde dich mit einem Konto an, das es darf, oder frage, wer das Konto verwaltet.',
        },

  'permission_denied:fresh-code-needed': () => ({
    what: 'Dafür verlangt der Dienst einen neuen Code deines zweiten Faktors.',
    todo: 'Erledige es auf der Seite des Dienstes, oder melde dich neu an und tu es innerhalb von zehn Minuten.',
  }),
  'permission_denied:first-computer': () => ({
    what: 'Den ersten Computer dieses Kontos richtet ein, wer das Konto besitzt oder verwaltet.',
    todo: 'Bitte darum, dass das zuerst geschieht. Danach brauchst du die Wiederherstellungsphrase von dort.',
  }),

  // the service
  service_unreachable: (details) => ({
    what: `${details.address} ist nicht erreichbar.`,
    todo: 'Prüfe die Adresse und deine Netzwerkverbindung, und versuche es dann erneut.',
  }),
  'service_unreachable:certificate': (details) => ({
    what: `${details.address} lässt sich nicht prüfen: Dieser Computer vertraut dem Zertifikat nicht.`,
    todo: 'Prüfe die Adresse. Ist es dein eigener Dienst, frage, wer ihn betreibt, nach einem Zertifikat, dem dieser Computer vertraut.',
  }),
  'service_unreachable:host-key': (details) => ({
    what: `Der Server von ${details.address} hat einen anderen Hostschlüssel als bisher.`,
    todo: 'Er wurde neu eingerichtet, oder jemand gibt sich für ihn aus. Es wird nichts dorthin gesendet, bis du den neuen Schlüssel in den Einstellungen unter „Ziel“ verglichen hast.',
  }),
  'service_unreachable:tls': (details) => ({
    what: `Zu ${details.address} kommt keine verschlüsselte Verbindung zustande.`,
    todo: 'Prüfe die Adresse und ihren Port, und ob der Dienst https verwendet.',
  }),
  service_broken: (details) => ({
    what: `${details.address} antwortet, aber nicht wie ein Sicherungsdienst.`,
    todo: 'Prüfe die Adresse und ob eine Anmeldeseite deines Netzwerks dazwischensteht.',
  }),
  service_error: (details) => ({
    what:
      details.detail !== undefined
        ? `Der Dienst konnte das nicht ausführen: ${details.detail}.`
        : 'Der Dienst konnte das nicht ausführen.',
    todo: 'Versuche es später erneut. Wenn das Problem weiterhin besteht, wende dich an den Betreiber des Dienstes.',
  }),
  service_busy: () => ({
    what: 'Der Dienst ist gerade ausgelastet.',
    todo: 'Versuche es in ein paar Minuten erneut; es geht nichts verloren.',
  }),
  service_answer_suspicious: () => ({
    what: 'Die Antwort des Dienstes passt nicht zu dem, was dieser Computer schon gesehen hat: Sie ist vielleicht älter oder verändert.',
    todo: 'Entferne nichts und frage den Betreiber, ob der Dienst aus einer alten Kopie wiederhergestellt wurde.',
  }),
  quota_exceeded: () => ({
    what: 'Der Speicher deines Kontos ist voll.',
    todo: 'Besorge mehr Speicher, entferne alte Wiederherstellungspunkte oder lass etwas aus dem Sicherungsplan weg.',
  }),
  retention_refused: () => ({
    what: 'Diese Wiederherstellungspunkte müssen vorerst bleiben.',
    todo: 'Die Aufbewahrung des Sets zeigt, was sie schützt. Ist das Ziel beschädigt, repariere es zuerst.',
  }),

  // storage and disks
  destination_full: (details) => ({
    what: `${details.directory ?? 'Das Ziel deiner Sicherungen'} ist voll.`,
    todo: 'Gib dort Speicherplatz frei. Die nächste Sicherung wird dort fortgesetzt, wo diese aufgehört hat.',
  }),
  destination_unwritable: (details) => ({
    what: `${details.directory} lässt sich nicht beschreiben.`,
    todo: 'Prüfe, ob du dort schreiben darfst und ob das Laufwerk schreibgeschützt ist.',
  }),
  destination_missing: (details) => ({
    what: `${details.directory} wurde nicht gefunden oder enthält deine Sicherungen nicht mehr.`,
    todo: 'Schließe das richtige Laufwerk an und versuche es erneut.',
  }),
  'destination_missing:bucket': (details) => ({
    what: `Unter ${details.directory} gibt es keinen Bucket.`,
    todo: 'Prüfe seinen Namen, den Endpunkt und die Region.',
  }),
  'destination_missing:rclone': (details) => ({
    what: `rclone kann ${details.directory} nicht öffnen.`,
    todo: 'Probiere es mit „rclone lsd“ und berichtige das Ziel mit „rclone config“.',
  }),
  'destination_missing:forged': (details) => ({
    what: `Die Datei holdfast.json in ${details.directory} wurde verändert: Sie passt nicht zu den Sicherungen in diesem Ordner.`,
    todo: 'Führe „holdfast repair“ auf einem Computer aus, der schon dorthin sichert. Damit wird die Datei neu geschrieben.',
  }),
  'destination_missing:exchanged': (details) => ({
    what: `${details.directory} enthält andere Sicherungen als die dieses Computers.`,
    todo: 'Schließe das richtige Laufwerk an oder stelle den richtigen Ordner zurück. Wurde nur die Datei holdfast.json vertauscht, schreibt „holdfast repair“ sie neu.',
  }),
  'destination_missing:damaged': (details) => ({
    what: `${details.directory} ist beschädigt: Es kann nichts davon gelesen und nichts hinzugefügt werden.`,
    todo: 'Prüfe das Laufwerk. Hast du eine Kopie dieses Ordners, spiele sie zurück.',
  }),
  home_busy: () => ({
    what: 'Ein anderes Programm verwendet diese Sicherungen gerade, vielleicht Holdfast in einem Terminal.',
    todo: 'Versuche es erneut, wenn das fertig ist.',
  }),
  home_damaged: (details) => ({
    what: `${details.file ?? 'Eine eigene Datei von Holdfast'} ist beschädigt.`,
    todo:
      details.kept !== undefined
        ? `Eine frühere Kopie liegt unter ${details.kept}. Deine Wiederherstellungspunkte sind nicht betroffen.`
        : 'Deine Wiederherstellungspunkte sind nicht betroffen: Deine Wiederherstellungsphrase öffnet sie auf jedem Computer.',
  }),
  'home_damaged:earlier-version': (details) => ({
    what: 'Dieser Computer wurde mit einer früheren Version von Holdfast eingerichtet, deren Sicherungen diese Version nicht fortführen kann.',
    todo: `Verschiebe ${details.file ?? 'die Einstellungen'} an einen anderen Ort und starte Holdfast neu: Es richtet dann neue Sicherungen in einem leeren Ordner ein.`,
  }),
  'home_damaged:newer-version': () => ({
    what: 'Auf diesem Computer wurde eine neuere Version von Holdfast verwendet.',
    todo: 'Installiere die neueste Version.',
  }),

  // data
  chunk_missing: () => ({
    what: 'Ein Teil dieser Sicherung fehlt am Ziel.',
    todo: 'Prüfe die Sicherungen unter „Sicherungspläne“. Prüfe auch das Laufwerk oder wende dich an den Betreiber des Dienstes.',
  }),
  chunk_tampered: () => ({
    what: 'Ein Teil dieser Sicherung wurde verändert oder gehört zu einer anderen Sicherung.',
    todo: 'Prüfe die Sicherungen unter „Sicherungspläne“ und wende dich an den Betreiber des Dienstes.',
  }),
  chunk_corrupt: () => ({
    what: 'Ein Teil dieser Sicherung ist beschädigt.',
    todo: 'Prüfe die Sicherungen unter „Sicherungspläne“. Prüfe auch das Laufwerk oder wende dich an den Betreiber des Dienstes.',
  }),
  file_size_mismatch: (details) => ({
    what: `${details.path ?? 'Eine Datei'} hat nicht die Größe, die sie bei der Sicherung hatte.`,
    todo: 'Versuche es mit einem früheren Wiederherstellungspunkt.',
  }),
  tree_invalid: ({ reason }) => ({
    what:
      reason === 'missing'
        ? 'Diesem Wiederherstellungspunkt fehlt die Liste der Dateien, die beweist, was gesichert wurde.'
        : 'Die Liste der Dateien dieses Wiederherstellungspunkts ist unvollständig oder wurde verändert.',
    todo: 'Wähle einen früheren Wiederherstellungspunkt und wende dich an den Betreiber des Dienstes.',
  }),
  sources_keep_changing: () => ({
    what: 'Die Dateien haben sich beim Lesen ständig geändert, deshalb wurde die Sicherung nicht fertig.',
    todo: 'Schließe das Programm, das sie verändert, oder lass sie aus. Sichere dann erneut.',
  }),
  'interrupted:repeatedly': () => ({
    what: 'Der Vorgang wurde mehrmals unterbrochen und wird nicht mehr automatisch fortgesetzt.',
    todo: 'Stelle erneut wieder her: Bereits wiederhergestellte Dateien werden nicht noch einmal heruntergeladen.',
  }),
  interrupted: () => ({
    what: 'Der Vorgang wurde angehalten, bevor er fertig war.',
    todo: 'Starte ihn erneut: Er wird dort fortgesetzt, wo er aufgehört hat.',
  }),
};

export const failuresDe = {
  unknown: (code: string) => ({
    what: `Ein unerwarteter Fehler ist aufgetreten (${code}).`,
    todo: 'Versuche es erneut. Wenn das Problem weiterhin besteht, exportiere in den Einstellungen die Diagnose und bitte damit um Hilfe.',
  }),
  reasons: reasonsDe,
  sentences,
};
