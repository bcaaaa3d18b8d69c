// Compiled from the catalogues by `npm run texts`. Do not edit.
import type { devices as source } from '../en/devices.ts';
import { messagesOf } from '../../messages.ts';

const m = messagesOf('de');

export const devices = (): typeof source => ({
  intro: 'Computer, die auf dasselbe Ziel sichern.',
  destination: 'Ziel',
  thisOne: 'Dieser Computer',
  others: 'Andere Computer',
  statuses: {
    healthy: 'Aktuell',
    new: 'Noch keine Sicherung',
    warning: 'Handlungsbedarf',
    offline: 'Länger nicht verbunden',
    alarm: 'Anzeichen von Ransomware',
    revoked: 'Gesperrt',
  },
  lastBackup: 'Letzte Sicherung',
  lastSeen: 'Zuletzt gesehen',
  never: 'Nie',
  noOthers: 'Kein anderer Computer sichert hierher',
  noOthersService: 'Melde dich auf einem anderen Computer beim selben Dienst an, dann erscheint er hier.',
  noOthersFolder: 'Deine Sicherungen gehen in einen Ordner oder Bucket, nicht zu einem Dienst. Andere Computer, die dasselbe Ziel mit deiner Wiederherstellungsphrase verwenden, stehen hier.',
  removeHint: 'Wenn du einen Computer entfernst, ändert sich der Schlüssel deiner Sicherungen. Deine anderen Computer erhalten den neuen automatisch.',
  remove: 'Entfernen und Schlüssel wechseln …',
  removeOf: (name) => `${m.text(name)} entfernen und den Schlüssel wechseln`,
  removeTitle: (name) => `„${m.text(name)}“ entfernen und den Schlüssel wechseln?`,
  removeBody: 'Dieser Computer kann neue Sicherungen nicht mehr öffnen, und was er schreibt, wird ignoriert. Frühere Sicherungen kann er weiterhin öffnen. Seine Wiederherstellungspunkte bleiben erhalten, und du kannst von hier aus Dateien daraus wiederherstellen.',
  removePhrase: 'Du erhältst eine neue Wiederherstellungsphrase. Schreibe sie auf: Die alte öffnet nur frühere Sicherungen.',
  removeDo: 'Entfernen und Schlüssel wechseln',
  revoke: 'Sperren …',
  revokeOf: (name) => `${m.text(name)} sperren`,
  revokeTitle: (name) => `„${m.text(name)}“ sperren?`,
  revokeBody: 'Dieser Computer kann dann nicht mehr sichern und nichts wiederherstellen. Seine Wiederherstellungspunkte bleiben, und du kannst sie von hier wiederherstellen. Das lässt sich nicht rückgängig machen; er müsste neu eingerichtet werden.',
  revokeDo: 'Sperren',
  signIn: 'Melde dich an, um zu bestätigen, dass du es bist. Dein Passwort wird nicht gespeichert.',
  renewTitle: 'Auch den Schlüssel deiner Sicherungen ändern?',
  renewBody: (name) => `„${m.text(name)}“ kommt nicht mehr an den Dienst heran, hat aber noch den Schlüssel. Wer auf anderem Weg an deine Sicherungen gelangt, könnte damit auch künftige öffnen. Ein neuer Schlüssel verhindert das.`,
  renewDo: 'Schlüssel ändern',
  revoked: (name) => `„${m.text(name)}“ ist gesperrt.`,
});
