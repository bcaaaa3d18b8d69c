// Compiled from the catalogues by `npm run texts`. Do not edit.
import type { common as source } from '../en/common.ts';
import { messagesOf } from '../../messages.ts';

const m = messagesOf('es');

export const common = (): typeof source => ({
  product: 'Holdfast',
  views: {
    home: 'Inicio',
    sets: 'Planes de copia',
    restore: 'Restaurar',
    activity: 'Actividad',
    devices: 'Dispositivos',
    settings: 'Ajustes',
  },
  health: {
    'not-set-up': 'Sin configurar',
    'at-risk': 'En riesgo',
    attention: 'Requiere atención',
    running: 'En curso',
    waiting: 'En espera',
    paused: 'En pausa',
    protected: 'Protegido',
  },
  title: (view) => `${m.text(view)} – Holdfast`,
  skip: 'Ir al contenido',
  sections: 'Secciones',
  of: (what, name) => `${m.text(what)}: ${m.text(name)}`,
  quoted: (text) => `“${m.text(text)}”`,
  said: (what, how) => `${m.text(what)}: ${m.text(how)}.`,
  withControl: (isMac, key) => (isMac ? `⌘${m.text(key)}` : `Ctrl+${m.text(key)}`),
  messages: 'Mensajes',
  invalid: {
    missing: 'Rellena este campo.',
    email: 'Escribe un correo electrónico, por ejemplo anna@example.org.',
    url: 'Escribe una dirección que empiece por https://, por ejemplo https://example.org.',
    short: (characters) => `Usa al menos ${m.text(characters)} caracteres.`,
    other: 'Revisa lo que has escrito.',
  },
  cancel: 'Cancelar',
  close: 'Cerrar',
  save: 'Guardar',
  back: 'Atrás',
  next: 'Siguiente',
  retry: 'Reintentar',
  loading: 'Un momento…',
  backUpNow: 'Copiar ahora',
  stop: 'Detener',
  remove: 'Eliminar',
  more: 'Más',
});
