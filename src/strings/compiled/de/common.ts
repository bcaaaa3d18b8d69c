// Compiled from the catalogues by `npm run texts`. Do not edit.
import type { common as source } from '../en/common.ts';
import { messagesOf } from '../../messages.ts';

const m = messagesOf('de');

export const common = (): typeof source => ({
  product: 'Holdfast',
  views: {
    home: 'Übersicht',
    sets: 'Sicherungspläne',
    restore: 'Wiederherstellen',
    activity: 'Verlauf',
    devices: 'Geräte',
    settings: 'Einstellungen',
  },
  health: {
    'not-set-up': 'Nicht eingerichtet',
    'at-risk': 'In Gefahr',
    attention: 'Handlungsbedarf',
    running: 'Läuft',
    waiting: 'Wartet',
    paused: 'Pausiert',
    protected: 'Geschützt',
  },
  title: (view) => `${m.text(view)} – Holdfast`,
  skip: 'Zum Inhalt springen',
  sections: 'Bereiche',
  of: (what, name) => `${m.text(what)}: ${m.text(name)}`,
  quoted: (text) => `„${m.text(text)}“`,
  said: (what, how) => `${m.text(what)}: ${m.text(how)}.`,
  withControl: (isMac, key) => (isMac ? `⌘${m.text(key)}` : `Strg+${m.text(key)}`),
  messages: 'Meldungen',
  invalid: {
    missing: 'Bitte ausfüllen.',
    email: 'Gib eine E-Mail-Adresse ein, zum Beispiel anna@example.org.',
    url: 'Gib eine Adresse ein, die mit https:// beginnt, zum Beispiel https://example.org.',
    short: (characters) => `Verwende mindestens ${m.text(characters)} Zeichen.`,
    other: 'Prüfe die Eingabe.',
  },
  cancel: 'Abbrechen',
  close: 'Schließen',
  save: 'Speichern',
  back: 'Zurück',
  next: 'Weiter',
  retry: 'Erneut versuchen',
  loading: 'Einen Moment …',
  backUpNow: 'Jetzt sichern',
  stop: 'Anhalten',
  remove: 'Entfernen',
  more: 'Mehr',
});
