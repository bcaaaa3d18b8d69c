// Compiled from the catalogues by `npm run texts`. Do not edit.
import type { destination as source } from '../en/destination.ts';
import { messagesOf } from '../../messages.ts';

const m = messagesOf('de');

export const destination = (): typeof source => ({
  title: 'Ein anderes Ziel',
  done: 'Deine Sicherungen gehen jetzt hierhin.',
  add: {
    open: 'Weiteres Ziel hinzufügen …',
    hint: 'Sicherungen gehen dann an beide Ziele. Die Wiederherstellungsphrase bleibt gleich, und die erste Sicherung überträgt dort alles.',
    title: 'Auch auf dieses Ziel sichern?',
    others: 'Deine anderen Sicherungen laufen weiter wie bisher.',
    phrase: 'Die Wiederherstellungsphrase ist für alle deine Sicherungen dieselbe.',
    sends: 'Die erste Sicherung überträgt alles.',
    sendsBytes: (bytes) => `Die erste Sicherung überträgt alles, etwa ${m.text(bytes)}.`,
    confirm: 'Ziel hinzufügen',
    added: (name) => `Sicherungen gehen jetzt auch nach „${m.text(name)}“.`,
    continued: (name) => `Sicherungen gehen jetzt auch nach „${m.text(name)}“ und setzen die früheren dort fort.`,
  },
  move: {
    open: 'Verschobene Sicherungen suchen …',
    hint: 'Das Laufwerk hat einen anderen Pfad, oder Server oder Dienst haben eine andere Adresse, ein anderes Passwort oder einen anderen Schlüssel.',
    title: 'Wo liegen deine Sicherungen jetzt?',
    intro: (location) => `Bisher lagen sie unter ${m.text(location)}. Holdfast sucht sie zuerst am neuen Ziel.`,
    kinds: {
      folder: 'Wähle den Ordner, in dem deine Sicherungen jetzt liegen.',
      service: 'Gib die jetzige Adresse des Dienstes ein.',
      bucket: 'Gib die jetzige Adresse und die Schlüssel des Buckets ein.',
      sftp: 'Gib die jetzige Adresse des SSH-Servers ein.',
      webdav: 'Gib die jetzige Adresse des WebDAV-Servers ein.',
      rclone: 'Gib das jetzige Ziel von rclone ein.',
    },
    look: 'Sicherungen suchen',
  },
  begin: {
    open: 'Ziel wechseln …',
    hint: 'Sicherungspläne, Einstellungen und Wiederherstellungsphrase bleiben. Die nächste Sicherung sichert alles am neuen Ziel.',
    title: 'Hier mit neuen Sicherungen beginnen?',
    stays: (location) => `Die Sicherungen unter ${m.text(location)} bleiben dort, und du kannst wieder zu ihnen wechseln.`,
    keeps: 'Sicherungspläne, Einstellungen und Wiederherstellungsphrase bleiben dieselben.',
    brings: 'Die nächste Sicherung speichert hier alles.',
    bringsBytes: (bytes) => `Die nächste Sicherung speichert hier alles, etwa ${m.text(bytes)}.`,
    littleFree: (free) => `Dort sind nur ${m.text(free)} frei. Das reicht vielleicht nicht für alle deine Dateien.`,
    begin: 'Hier beginnen',
  },
  former: {
    title: 'Frühere Ziele',
    text: 'Diese Sicherungen sind noch da. Wechsle zurück, um dort weiterzumachen.',
    until: (when) => `Bis ${m.text(when)}`,
    again: 'Zurückwechseln',
    againLabel: (location) => `Zurückwechseln zu ${m.text(location)}`,
    confirmTitle: 'Zu diesem Ziel zurückwechseln?',
    confirmText: (location) => `Sicherungen gehen dann wieder nach ${m.text(location)}. Deine jetzigen Sicherungen bleiben, wo sie sind. Holdfast prüft zuerst, ob die früheren noch vorhanden sind.`,
    replaced: 'Ersetzt',
    confirmSeveral: (location, name) => `Sicherungen gehen dann nach ${m.text(location)} statt nach „${m.text(name)}“, dessen Sicherungen erhalten bleiben. Holdfast prüft zuerst, ob die früheren noch vorhanden sind.`,
  },
});
