import type { destinationEn } from '../en/destination.ts';

export const destinationDe: typeof destinationEn = {
  title: 'Ein anderes Ziel',
  done: 'Deine Sicherungen gehen jetzt hierhin.',
  add: {
    open: 'Weiteres Ziel hinzufügen\u00A0…',
    hint: 'Gesichert wird dann an beide Orte. Die Wiederherstellungsphrase bleibt dieselbe, und die erste Sicherung dort sendet alles.',
    title: 'Auch hier sichern?',
    others: 'Deine anderen Sicherungen laufen weiter wie bisher.',
    phrase: 'Die Wiederherstellungsphrase ist für alle deine Sicherungen dieselbe.',
    sends: 'Die erste Sicherung hier sendet alles.',
    sendsBytes: (bytes) => `Die erste Sicherung hier sendet alles, etwa ${bytes}.`,
    confirm: 'Ziel hinzufügen',
    added: (name) => `Gesichert wird jetzt auch nach „${name}“.`,
    continued: (name) => `Gesichert wird jetzt auch nach „${name}“. Die früheren Sicherungen dort gehen weiter.`,
  },
  move: {
    open: 'Verschobene Sicherungen suchen …',
    hint: 'Das Laufwerk hat einen anderen Pfad, oder Server oder Dienst haben eine andere Adresse, ein anderes Passwort oder einen anderen Schlüssel.',
    title: 'Wo liegen deine Sicherungen jetzt?',
    intro: (location) => `Bisher lagen sie unter ${location}. Holdfast sucht sie zuerst am neuen Ziel.`,
    kinds: {
      folder: 'Wähle den Ordner, in dem deine Sicherungen jetzt liegen.',
      service: 'Gib die jetzige Adresse des Dienstes ein.',
      bucket: 'Gib die jetzige Adresse und die Schlüssel des Buckets ein.',
      sftp: 'Gib die jetzige Adresse des SSH-Servers ein.',
      webdav: 'Gib die jetzige Adresse des WebDAV-Servers ein.',
      rclone: 'Gib das jetzige Ziel von rclone ein.',
    },
    look: 'Dort suchen',
  },
  begin: {
    open: 'Ziel wechseln …',
    hint: 'Sicherungspläne, Einstellungen und Wiederherstellungsphrase bleiben. Die nächste Sicherung sichert alles am neuen Ziel.',
    title: 'Hier neue Sicherungen beginnen?',
    stays: (location) => `Die Sicherungen unter ${location} bleiben dort, und du kannst zu ihnen zurückkehren.`,
    keeps: 'Sicherungspläne, Einstellungen und Wiederherstellungsphrase bleiben dieselben.',
    brings: 'Die nächste Sicherung speichert hier alles.',
    bringsBytes: (bytes) => `Die nächste Sicherung speichert hier alles, etwa ${bytes}.`,
    littleFree: (free) => `Dort sind nur ${free} frei. Das reicht vielleicht nicht für alle deine Dateien.`,
    begin: 'Hier beginnen',
  },
  former: {
    title: 'Frühere Ziele',
    text: 'Diese Sicherungen sind noch da. Wechsle zurück, um dort weiterzumachen.',
    until: (when) => `Bis ${when}`,
    again: 'Zurückkehren',
    againLabel: (location) => `Zurückkehren zu ${location}`,
    confirmTitle: 'Zu diesem Ziel zurückkehren?',
    confirmText: (location) =>
      `Gesichert wird dann wieder nach ${location}. Was am jetzigen Ziel liegt, bleibt dort. Holdfast sieht zuerst nach, ob deine Sicherungen noch da sind.`,
    replaced: 'Anstelle von',
    confirmSeveral: (location, name) =>
      `Gesichert wird dann nach ${location} statt nach „${name}“, dessen Sicherungen dort bleiben. Holdfast sieht zuerst nach, ob die früheren noch da sind.`,
  },
};
