// Compiled from the catalogues by `npm run texts`. Do not edit.
import type { drill as source } from '../en/drill.ts';
import { messagesOf } from '../../messages.ts';

const m = messagesOf('fr');

export const drill = (): typeof source => ({
  title: 'Restaurations d’essai',
  never: 'Pas encore de restauration d’essai.',
  hint: 'À intervalles réguliers, les fichiers les plus récents et d’autres tirés au hasard sont restaurés dans un dossier temporaire, comparés, puis supprimés.',
  passed: (set, when) => `« ${m.text(set)} » a réussi sa restauration d’essai : ${m.text(when)}.`,
  failed: (set, when) => `« ${m.text(set)} » a échoué à sa restauration d’essai : ${m.text(when)}.`,
  facts: (files, bytes) => m.plural(files, { one: `${m.text(files)} fichier (${m.text(bytes)}) restauré et comparé, identique bit à bit.`, other: `${m.text(files)} fichiers (${m.text(bytes)}) restaurés et comparés, identiques bit à bit.` }),
  failures: (files) => m.plural(files, { one: `${m.text(files)} fichier n’a pas pu être restauré tel qu’il était.`, other: `${m.text(files)} fichiers n’ont pas pu être restaurés tels qu’ils étaient.` }),
  start: 'Essayer maintenant',
  startSet: (set) => `Essayer maintenant : « ${m.text(set)} »`,
  save: 'Enregistrer l’attestation…',
  details: 'Afficher les détails',
  certificate: {
    title: 'Attestation des restaurations d’essai',
    lead: 'Holdfast a restauré les fichiers ci-dessous depuis leurs sauvegardes dans un dossier temporaire et en a relu chaque octet. Chacun a été comparé au SHA-256 de ses parties, que prouve la liste scellée de la sauvegarde.',
    device: 'Ordinateur',
    issued: 'Établie',
    version: 'Holdfast',
    set: (set) => `Plan de sauvegarde « ${m.text(set)} »`,
    destination: 'Destination',
    tested: 'Essai',
    point: 'Point de restauration',
    size: 'Dans le point de restauration',
    restored: 'Restauré',
    sample: 'Choix',
    chosen: (newest, random) => `${m.text(newest)} plus récents, ${m.text(random)} au hasard`,
    compared: 'Identiques à la sauvegarde',
    onDisk: 'Identiques à cet ordinateur',
    filesOf: (files) => m.plural(files, { one: `${m.text(files)} fichier`, other: `${m.text(files)} fichiers` }),
    sized: (files, bytes) => `${m.text(files)}, ${m.text(bytes)}`,
    result: 'Résultat',
    passed: 'Réussi',
    failed: (files) => m.plural(files, { one: `Échec : ${m.text(files)} fichier`, other: `Échec : ${m.text(files)} fichiers` }),
    digest: 'SHA-256 de la liste',
    list: 'Fichiers avec SHA-256',
    first: (files) => `Les premiers sont listés : ${m.text(files)}.`,
    none: 'Il n’y a pas eu de restauration d’essai.',
    footer: 'Le SHA-256 de la liste est celui des lignes « empreinte, deux espaces, chemin » de tous les fichiers comparés, dans cet ordre.',
  },
});
