// Compiled from the catalogues by `npm run texts`. Do not edit.
import type { drill as source } from '../en/drill.ts';
import { messagesOf } from '../../messages.ts';

const m = messagesOf('es');

export const drill = (): typeof source => ({
  title: 'Restauraciones de prueba',
  never: 'Aún no hay ninguna restauración de prueba.',
  hint: 'De forma periódica, los archivos más recientes y otros al azar se restauran en una carpeta temporal, se comparan y se eliminan.',
  passed: (set, when) => `“${m.text(set)}” superó su restauración de prueba: ${m.text(when)}.`,
  failed: (set, when) => `“${m.text(set)}” no superó su restauración de prueba: ${m.text(when)}.`,
  facts: (files, bytes) => m.plural(files, { one: `${m.text(files)} archivo (${m.text(bytes)}) restaurado y comparado, idéntico bit a bit.`, other: `${m.text(files)} archivos (${m.text(bytes)}) restaurados y comparados, idénticos bit a bit.` }),
  failures: (files) => m.plural(files, { one: `${m.text(files)} archivo no se pudo restaurar tal como era.`, other: `${m.text(files)} archivos no se pudieron restaurar tal como eran.` }),
  start: 'Probar ahora',
  startSet: (set) => `Probar ahora: “${m.text(set)}”`,
  save: 'Guardar certificado…',
  details: 'Mostrar detalles',
  certificate: {
    title: 'Certificado de restauraciones de prueba',
    lead: 'Holdfast ha restaurado los archivos siguientes desde sus copias en una carpeta temporal y ha vuelto a leer cada byte. Cada uno se comparó con el SHA-256 de sus partes, que demuestra la lista sellada de la copia.',
    device: 'Equipo',
    issued: 'Emitido',
    version: 'Holdfast',
    set: (set) => `Plan de copia “${m.text(set)}”`,
    destination: 'Destino',
    tested: 'Probado',
    point: 'Punto de restauración',
    size: 'En el punto de restauración',
    restored: 'Restaurado',
    sample: 'Elegidos',
    chosen: (newest, random) => `${m.text(newest)} más recientes, ${m.text(random)} al azar`,
    compared: 'Idénticos a la copia',
    onDisk: 'Idénticos a este equipo',
    filesOf: (files) => m.plural(files, { one: `${m.text(files)} archivo`, other: `${m.text(files)} archivos` }),
    sized: (files, bytes) => `${m.text(files)}, ${m.text(bytes)}`,
    result: 'Resultado',
    passed: 'Superado',
    failed: (files) => m.plural(files, { one: `Con error: ${m.text(files)} archivo`, other: `Con error: ${m.text(files)} archivos` }),
    digest: 'SHA-256 de la lista',
    list: 'Archivos con SHA-256',
    first: (files) => `Se muestran los primeros: ${m.text(files)}.`,
    none: 'No ha habido ninguna restauración de prueba.',
    footer: 'El SHA-256 de la lista es el de las líneas “hash, dos espacios, ruta” de todos los archivos comparados, en este orden.',
  },
});
