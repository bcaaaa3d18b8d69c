// Compiled from the catalogues by `npm run texts`. Do not edit.
import type { common as source } from '../en/common.ts';
import { messagesOf } from '../../messages.ts';

const m = messagesOf('fr');

export const common = (): typeof source => ({
  product: 'Holdfast',
  views: {
    home: 'Accueil',
    sets: 'Plans',
    restore: 'Restaurer',
    activity: 'Activité',
    devices: 'Appareils',
    settings: 'Réglages',
  },
  health: {
    'not-set-up': 'Non configuré',
    'at-risk': 'En danger',
    attention: 'À surveiller',
    running: 'En cours',
    waiting: 'En attente',
    paused: 'En pause',
    protected: 'Protégé',
  },
  title: (view) => `${m.text(view)} – Holdfast`,
  skip: 'Aller au contenu',
  sections: 'Sections',
  of: (what, name) => `${m.text(what)} : ${m.text(name)}`,
  quoted: (text) => `« ${m.text(text)} »`,
  said: (what, how) => `${m.text(what)} : ${m.text(how)}.`,
  withControl: (isMac, key) => (isMac ? `⌘${m.text(key)}` : `Ctrl+${m.text(key)}`),
  messages: 'Messages',
  invalid: {
    missing: 'Remplissez ce champ.',
    email: 'Saisissez une adresse e-mail, par exemple anna@example.org.',
    url: 'Saisissez une adresse qui commence par https://, par exemple https://example.org.',
    short: (characters) => `Utilisez au moins ${m.text(characters)} caractères.`,
    other: 'Vérifiez votre saisie.',
  },
  cancel: 'Annuler',
  close: 'Fermer',
  save: 'Enregistrer',
  back: 'Retour',
  next: 'Suivant',
  retry: 'Réessayer',
  loading: 'Un instant…',
  backUpNow: 'Sauvegarder maintenant',
  stop: 'Arrêter',
  remove: 'Supprimer',
  more: 'Plus',
});
