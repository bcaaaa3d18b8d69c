import type { erasureWordsEn } from './en-erasure.ts';

/** Texte über das endgültige Löschen. */
export const erasureWordsDe: typeof erasureWordsEn = {
  erasure: {
    title: 'Daten löschen',
    lead: 'Entfernt Sicherungen endgültig, zusammen mit den Namen und Adressen, die zu ihnen gehören. Einen Wiederherstellungspunkt zu entfernen oder ein Gerät zu sperren bewirkt weniger.',
    none: 'Es steht nichts zur Löschung an.',
    begin: 'Löschen …',
    what: 'Was',
    due: 'Wann',
    dueOn: (time) => `am ${time}`,
    doneOn: (time) => `gelöscht am ${time}`,
    gone: 'Gelöscht',
    cancel: 'Löschung abbrechen',
    cancelOf: (what) => `Löschung abbrechen: ${what}`,
    dialogTitle: 'Daten endgültig löschen',
    memberOf: (email) => `${email} löschen`,
    memberTitle: (email) => `${email} endgültig löschen?`,
    memberBody: 'Entfernt diese Person, die von ihr eingerichteten Geräte und alle Sicherungen dieser Geräte.',
    wait: 'Gelöscht wird nach der Wartezeit dieses Dienstes und nach jedem Mindestalter von Wiederherstellungspunkten. Bis dahin kannst du es hier abbrechen. Was gelöscht werden soll, wird nicht mehr gesichert.',
    keepFirst:
      'Hebe zuerst auf, was du brauchst. Dateien: Stelle sie auf einem Computer mit der Wiederherstellungsphrase wieder her oder kopiere die Sicherungen dort an ein anderes Ziel. Später kann sie niemand zurückholen.',
    download: 'Speichern, was dieser Dienst über das Konto weiß',
    submit: 'Löschen',
    scopes: { set: 'Sicherungsplan', device: 'Gerät', member: 'Person', account: 'Ganzes Konto' },
    ofSet: (device, set) => `Sicherungsplan ${set} von ${device}`,
    ofDevice: (device) => `Gerät ${device} mit allen Sicherungen`,
    ofMember: (email) => `${email} mit Geräten und Sicherungen`,
    ofAccount: 'Das ganze Konto mit allen Personen, Geräten und Sicherungen',
  },
};
