// Compiled from the catalogues by `npm run texts`. Do not edit.
import type { destination as source } from '../en/destination.ts';
import { messagesOf } from '../../messages.ts';

const m = messagesOf('es');

export const destination = (): typeof source => ({
  title: 'Otro destino',
  done: 'Tus copias van ahora aquí.',
  add: {
    open: 'Añadir otro destino…',
    hint: 'Las copias van entonces a los dos sitios. La frase de recuperación sigue igual, y la primera copia lo envía todo allí.',
    title: '¿Copiar también a este destino?',
    others: 'Tus demás copias continúan como antes.',
    phrase: 'La frase de recuperación es la misma para todas tus copias.',
    sends: 'La primera copia lo envía todo aquí.',
    sendsBytes: (bytes) => `La primera copia lo envía todo aquí, unos ${m.text(bytes)}.`,
    confirm: 'Añadir destino',
    added: (name) => `Las copias van ahora también a “${m.text(name)}”.`,
    continued: (name) => `Las copias van ahora también a “${m.text(name)}” y continúan las anteriores de allí.`,
  },
  move: {
    open: 'Localizar copias movidas…',
    hint: 'El disco tiene otra ruta, o el servidor o servicio otra dirección, contraseña o clave.',
    title: '¿Dónde están ahora tus copias?',
    intro: (location) => `Estaban en ${m.text(location)}. Holdfast las busca primero en el nuevo destino.`,
    kinds: {
      folder: 'Elige la carpeta donde están ahora tus copias.',
      service: 'Escribe la dirección actual del servicio.',
      bucket: 'Escribe la dirección actual del bucket, con sus claves.',
      sftp: 'Escribe la dirección actual del servidor SSH.',
      webdav: 'Escribe la dirección actual del servidor WebDAV.',
      rclone: 'Escribe la nube actual de rclone.',
    },
    look: 'Buscar copias',
  },
  begin: {
    open: 'Cambiar de destino…',
    hint: 'Tus planes, ajustes y frase de recuperación se conservan. La próxima copia lo guarda todo en el nuevo destino.',
    title: '¿Empezar aquí copias nuevas?',
    stays: (location) => `Las copias de ${m.text(location)} se quedan allí, y puedes volver a ellas.`,
    keeps: 'Tus planes, ajustes y frase de recuperación siguen igual.',
    brings: 'La próxima copia lo guarda todo aquí.',
    bringsBytes: (bytes) => `La próxima copia lo guarda todo aquí, unos ${m.text(bytes)}.`,
    littleFree: (free) => `Solo ${m.text(free)} libres. Puede que no baste para todos tus archivos.`,
    begin: 'Empezar aquí',
  },
  former: {
    title: 'Destinos anteriores',
    text: 'Estas copias siguen allí. Vuelve a ellas para continuarlas.',
    until: (when) => `Hasta ${m.text(when)}`,
    again: 'Volver',
    againLabel: (location) => `Volver a ${m.text(location)}`,
    confirmTitle: '¿Volver a este destino?',
    confirmText: (location) => `Las copias van otra vez a ${m.text(location)}. Tus copias actuales se quedan donde están. Holdfast comprueba primero que las anteriores siguen allí.`,
    replaced: 'Sustituye',
    confirmSeveral: (location, name) => `Las copias van otra vez a ${m.text(location)} en lugar de “${m.text(name)}”, cuyas copias se quedan donde están. Holdfast comprueba primero que las anteriores siguen allí.`,
  },
});
