// Compiled from the catalogues by `npm run texts`. Do not edit.
import type { destination as source } from '../en/destination.ts';
import { messagesOf } from '../../messages.ts';

const m = messagesOf('fr');

export const destination = (): typeof source => ({
  title: 'Une autre destination',
  done: 'Vos sauvegardes vont maintenant ici.',
  add: {
    open: 'Ajouter une autre destination…',
    hint: 'Les sauvegardes vont alors aux deux endroits. La phrase de récupération reste la même, et la première sauvegarde y envoie tout.',
    title: 'Sauvegarder aussi vers cette destination ?',
    others: 'Vos autres sauvegardes continuent comme avant.',
    phrase: 'La phrase de récupération est la même pour toutes vos sauvegardes.',
    sends: 'La première sauvegarde envoie tout ici.',
    sendsBytes: (bytes) => `La première sauvegarde envoie tout ici, environ ${m.text(bytes)}.`,
    confirm: 'Ajouter la destination',
    added: (name) => `Les sauvegardes vont maintenant aussi vers « ${m.text(name)} ».`,
    continued: (name) => `Les sauvegardes vont maintenant aussi vers « ${m.text(name)} » et y continuent les précédentes.`,
  },
  move: {
    open: 'Retrouver des sauvegardes déplacées…',
    hint: 'Le disque a un autre chemin, ou le serveur ou le service une autre adresse, un autre mot de passe ou une autre clé.',
    title: 'Où sont vos sauvegardes maintenant ?',
    intro: (location) => `Elles étaient à ${m.text(location)}. Holdfast les cherche d’abord à la nouvelle destination.`,
    kinds: {
      folder: 'Choisissez le dossier où se trouvent maintenant vos sauvegardes.',
      service: 'Saisissez l’adresse actuelle du service.',
      bucket: 'Saisissez l’adresse actuelle du compartiment, avec ses clés.',
      sftp: 'Saisissez l’adresse actuelle du serveur SSH.',
      webdav: 'Saisissez l’adresse actuelle du serveur WebDAV.',
      rclone: 'Saisissez l’espace rclone actuel.',
    },
    look: 'Chercher les sauvegardes',
  },
  begin: {
    open: 'Changer de destination…',
    hint: 'Vos plans, vos réglages et votre phrase de récupération restent. La prochaine sauvegarde enregistre tout à la nouvelle destination.',
    title: 'Commencer ici de nouvelles sauvegardes ?',
    stays: (location) => `Les sauvegardes de ${m.text(location)} y restent, et vous pouvez y revenir.`,
    keeps: 'Vos plans, vos réglages et votre phrase de récupération restent les mêmes.',
    brings: 'La prochaine sauvegarde enregistre tout ici.',
    bringsBytes: (bytes) => `La prochaine sauvegarde enregistre tout ici, environ ${m.text(bytes)}.`,
    littleFree: (free) => `Seulement ${m.text(free)} libres. Cela peut ne pas suffire pour tous vos fichiers.`,
    begin: 'Commencer ici',
  },
  former: {
    title: 'Destinations précédentes',
    text: 'Ces sauvegardes y sont toujours. Revenez-y pour les continuer.',
    until: (when) => `Jusqu’à ${m.text(when)}`,
    again: 'Y revenir',
    againLabel: (location) => `Revenir à ${m.text(location)}`,
    confirmTitle: 'Revenir à cette destination ?',
    confirmText: (location) => `Les sauvegardes vont de nouveau à ${m.text(location)}. Vos sauvegardes actuelles restent où elles sont. Holdfast vérifie d’abord que les précédentes y sont toujours.`,
    replaced: 'Remplace',
    confirmSeveral: (location, name) => `Les sauvegardes vont de nouveau à ${m.text(location)} au lieu de « ${m.text(name)} », dont les sauvegardes restent où elles sont. Holdfast vérifie d’abord que les précédentes y sont toujours.`,
  },
});
