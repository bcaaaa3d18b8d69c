import type { commonEn } from '../en/common.ts';

export const commonDe: typeof commonEn = {
  product: 'Holdfast',
  views: {
    home: 'Übersicht',
    sets: 'Sicherungen',
    restore: 'Wiederherstellen',
    activity: 'Verlauf',
    devices: 'Geräte',
    settings: 'Einstellungen',
  },
  skip: 'Zum Inhalt springen',
  sections: 'Bereiche',
  cancel: 'Abbrechen',
  close: 'Schließen',
  save: 'Speichern',
  back: 'Zurück',
  next: 'Weiter',
  retry: 'Erneut versuchen',
  loading: 'Einen Moment …',
};
