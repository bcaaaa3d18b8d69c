// Compiled from the catalogues by `npm run texts`. Do not edit.
import type { updates as source } from '../en/updates.ts';
import { messagesOf } from '../../messages.ts';

const m = messagesOf('es');

export const updates = (): typeof source => ({
  title: 'Actualizaciones',
  look: 'Buscar actualizaciones',
  lookHint: 'Una vez al día. Una actualización se instala cuando no hay ninguna copia, restauración ni comprobación en curso.',
  none: 'Esta compilación de Holdfast no busca actualizaciones.',
  packageManager: 'Las actualizaciones vienen del gestor de paquetes de tu sistema.',
  byAdministrator: 'Tu administrador ha desactivado las actualizaciones.',
  notChecked: 'Holdfast no ha buscado actualizaciones desde que arrancó.',
  current: (when) => `No había ninguna versión más reciente. Última búsqueda: ${m.text(when)}`,
  checking: 'Buscando actualizaciones…',
  offered: (version) => `La versión ${m.text(version)} está disponible. Descárgala donde obtuviste esta.`,
  systemTooOld: (version) => `La versión ${m.text(version)} está disponible, pero necesita una versión más reciente del sistema operativo de este equipo.`,
  downloading: (version, percent) => `Descargando la versión ${m.text(version)}: ${m.text(percent)}`,
  ready: (version) => `La versión ${m.text(version)} está lista para instalarse.`,
  replaced: 'Hay una versión nueva instalada. Reinicia Holdfast para usarla.',
  afterRun: 'Será posible cuando termine la operación en curso.',
  problems: {
    network: 'No se puede acceder al servidor de actualizaciones. Holdfast lo intentará más tarde.',
    signature: 'El servidor ofreció una actualización que no está firmada por los autores de Holdfast. Se ha rechazado.',
    metadata: 'El servidor ofreció una actualización que esta versión no puede leer. Se ha rechazado.',
    damaged: 'La actualización descargada estaba dañada. Se ha rechazado.',
    install: 'La actualización no se pudo instalar. Holdfast continúa con esta versión.',
  },
  check: 'Buscar ahora',
  install: 'Instalar y reiniciar',
  restart: 'Reiniciar Holdfast',
  news: 'Novedades…',
  newsTitle: 'Novedades',
  newsOf: (version) => `Versión ${m.text(version)}`,
});
