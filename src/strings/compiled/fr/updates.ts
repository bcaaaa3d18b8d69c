// Compiled from the catalogues by `npm run texts`. Do not edit.
import type { updates as source } from '../en/updates.ts';
import { messagesOf } from '../../messages.ts';

const m = messagesOf('fr');

export const updates = (): typeof source => ({
  title: 'Mises à jour',
  look: 'Rechercher des mises à jour',
  lookHint: 'Une fois par jour. Une mise à jour est installée quand aucune sauvegarde, restauration ou vérification n’est en cours.',
  none: 'Cette version de Holdfast ne recherche pas de mises à jour.',
  packageManager: 'Les mises à jour viennent du gestionnaire de paquets de votre système.',
  byAdministrator: 'Votre administrateur a désactivé les mises à jour.',
  notChecked: 'Holdfast n’a pas recherché de mises à jour depuis son démarrage.',
  current: (when) => `Il n’y avait pas de version plus récente. Dernière recherche : ${m.text(when)}`,
  checking: 'Recherche de mises à jour…',
  offered: (version) => `La version ${m.text(version)} est disponible. Téléchargez-la là où vous avez obtenu celle-ci.`,
  systemTooOld: (version) => `La version ${m.text(version)} est disponible, mais elle nécessite une version plus récente du système d’exploitation de cet ordinateur.`,
  downloading: (version, percent) => `Téléchargement de la version ${m.text(version)} : ${m.text(percent)}`,
  ready: (version) => `La version ${m.text(version)} est prête à être installée.`,
  replaced: 'Une nouvelle version est installée. Redémarrez Holdfast pour l’utiliser.',
  afterRun: 'Ce sera possible quand l’opération en cours sera terminée.',
  problems: {
    network: 'Le serveur de mises à jour est injoignable. Holdfast réessaiera plus tard.',
    signature: 'Le serveur a proposé une mise à jour qui n’est pas signée par les auteurs de Holdfast. Elle a été refusée.',
    metadata: 'Le serveur a proposé une mise à jour que cette version ne sait pas lire. Elle a été refusée.',
    damaged: 'La mise à jour téléchargée était endommagée. Elle a été refusée.',
    install: 'La mise à jour n’a pas pu être installée. Holdfast continue avec cette version.',
  },
  check: 'Rechercher maintenant',
  install: 'Installer et redémarrer',
  restart: 'Redémarrer Holdfast',
  news: 'Nouveautés…',
  newsTitle: 'Nouveautés',
  newsOf: (version) => `Version ${m.text(version)}`,
});
