// Compiled from the catalogues by `npm run texts`. Do not edit.
import type { devices as source } from '../en/devices.ts';
import { messagesOf } from '../../messages.ts';

const m = messagesOf('fr');

export const devices = (): typeof source => ({
  intro: 'Les ordinateurs qui sauvegardent vers la même destination.',
  destination: 'Destination',
  thisOne: 'Cet ordinateur',
  others: 'Autres ordinateurs',
  statuses: {
    healthy: 'À jour',
    new: 'Pas encore de sauvegarde',
    warning: 'À surveiller',
    offline: 'Pas vu récemment',
    alarm: 'Signes de rançongiciel',
    revoked: 'Révoqué',
  },
  lastBackup: 'Dernière sauvegarde',
  lastSeen: 'Vu pour la dernière fois',
  never: 'Jamais',
  noOthers: 'Aucun autre ordinateur ne sauvegarde ici',
  noOthersService: 'Connectez-vous au même service sur un autre ordinateur, et il apparaît ici.',
  noOthersFolder: 'Vos sauvegardes vont dans un dossier ou un compartiment, pas vers un service. Les autres ordinateurs qui utilisent la même destination avec votre phrase de récupération apparaissent ici.',
  removeHint: 'Retirer un ordinateur change la clé de vos sauvegardes. Vos autres ordinateurs reçoivent la nouvelle clé d’eux-mêmes.',
  remove: 'Retirer et changer la clé…',
  removeOf: (name) => `Retirer ${m.text(name)} et changer la clé`,
  removeTitle: (name) => `Retirer « ${m.text(name)} » et changer la clé ?`,
  removeBody: 'Cet ordinateur ne peut plus ouvrir les nouvelles sauvegardes, et ce qu’il écrit est ignoré. Il peut encore ouvrir les anciennes. Ses points de restauration restent, et vous pouvez les restaurer d’ici.',
  removePhrase: 'Vous recevez une nouvelle phrase de récupération. Notez-la : l’ancienne n’ouvre que les sauvegardes précédentes.',
  removeDo: 'Retirer et changer la clé',
  revoke: 'Révoquer…',
  revokeOf: (name) => `Révoquer ${m.text(name)}`,
  revokeTitle: (name) => `Révoquer « ${m.text(name)} » ?`,
  revokeBody: 'Cet ordinateur ne peut plus ni sauvegarder ni restaurer. Ses points de restauration restent, et vous pouvez les restaurer d’ici. C’est irréversible ; l’ordinateur devrait être configuré à nouveau.',
  revokeDo: 'Révoquer',
  signIn: 'Connectez-vous pour confirmer que c’est bien vous. Votre mot de passe n’est pas enregistré.',
  renewTitle: 'Changer aussi la clé de vos sauvegardes ?',
  renewBody: (name) => `« ${m.text(name)} » n’a plus accès au service, mais possède encore la clé. Quiconque atteint vos sauvegardes autrement pourrait ouvrir aussi les prochaines. Une nouvelle clé l’empêche.`,
  renewDo: 'Changer la clé',
  revoked: (name) => `« ${m.text(name)} » est révoqué.`,
});
