import type { devicesEn } from '../en/devices.ts';

export const devicesDe: typeof devicesEn = {
  intro: 'Computer, die auf dasselbe Ziel sichern.',
  destination: 'Ziel',
  thisOne: 'Dieser Computer',
  others: 'Andere Computer',
  statuses: {
    healthy: 'Aktuell',
    new: 'Noch keine Sicherung',
    warning: 'Handlungsbedarf',
    offline: 'Länger nicht gesehen',
    alarm: 'Sieht nach Ransomware aus',
    revoked: 'Gesperrt',
  },
  lastBackup: 'Letzte Sicherung',
  lastSeen: 'Zuletzt gesehen',
  never: 'Nie',
  noOthers: 'Kein anderer Computer sichert hierher',
  noOthersService: 'Melde dich auf einem anderen Computer bei demselben Dienst an, dann steht er hier.',
  noOthersFolder:
    'Deine Sicherungen gehen in einen Ordner oder Bucket, nicht zu einem Dienst. Andere Computer, die dasselbe Ziel mit deiner Wiederherstellungsphrase verwenden, stehen hier.',
  removeHint:
    'Einen Computer zu entfernen, wechselt den Schlüssel deiner Sicherungen. Die anderen bekommen den neuen von selbst.',
  remove: 'Entfernen und Schlüssel wechseln …',
  removeOf: (name) => `${name} entfernen und den Schlüssel wechseln`,
  removeTitle: (name) => `„${name}“ entfernen und den Schlüssel wechseln?`,
  removeBody:
    'Dieser Computer kann nichts öffnen, was ab jetzt gesichert wird, und was er schreibt, zählt nicht. Was vorher gesichert wurde, kann er weiter öffnen. Seine Wiederherstellungspunkte bleiben, und du kannst sie von hier wiederherstellen.',
  removePhrase:
    'Du bekommst eine neue Wiederherstellungsphrase, die du aufschreiben solltest. Die alte öffnet nur, was vorher gesichert wurde.',
  removeDo: 'Entfernen und Schlüssel wechseln',
  revoke: 'Sperren …',
  revokeOf: (name) => `${name} sperren`,
  revokeTitle: (name) => `„${name}“ sperren?`,
  revokeBody:
    'Dieser Computer kann dann nicht mehr sichern und nichts wiederherstellen. Seine Wiederherstellungspunkte bleiben, und du kannst sie von hier wiederherstellen. Das lässt sich nicht rückgängig machen; er müsste neu eingerichtet werden.',
  revokeDo: 'Sperren',
  signIn: 'Melde dich an, um zu bestätigen, dass du es bist. Dein Passwort wird nicht gespeichert.',
  revoked: (name) => `„${name}“ ist gesperrt.`,
};
