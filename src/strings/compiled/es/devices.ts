// Compiled from the catalogues by `npm run texts`. Do not edit.
import type { devices as source } from '../en/devices.ts';
import { messagesOf } from '../../messages.ts';

const m = messagesOf('es');

export const devices = (): typeof source => ({
  intro: 'Equipos que copian al mismo destino.',
  destination: 'Destino',
  thisOne: 'Este equipo',
  others: 'Otros equipos',
  statuses: {
    healthy: 'Al día',
    new: 'Aún sin copia',
    warning: 'Requiere atención',
    offline: 'No visto últimamente',
    alarm: 'Indicios de ransomware',
    revoked: 'Revocado',
  },
  lastBackup: 'Última copia',
  lastSeen: 'Visto por última vez',
  never: 'Nunca',
  noOthers: 'Ningún otro equipo copia aquí',
  noOthersService: 'Inicia sesión en el mismo servicio en otro equipo, y aparecerá aquí.',
  noOthersFolder: 'Tus copias van a una carpeta o a un bucket, no a un servicio. Aquí aparecen otros equipos que usen el mismo destino con tu frase de recuperación.',
  removeHint: 'Quitar un equipo cambia la clave de tus copias. Tus demás equipos reciben la nueva clave automáticamente.',
  remove: 'Quitar y cambiar la clave…',
  removeOf: (name) => `Quitar ${m.text(name)} y cambiar la clave`,
  removeTitle: (name) => `¿Quitar “${m.text(name)}” y cambiar la clave?`,
  removeBody: 'Ese equipo ya no puede abrir copias nuevas, y lo que escriba se ignora. Aún puede abrir las anteriores. Sus puntos de restauración se conservan, y puedes restaurarlos desde aquí.',
  removePhrase: 'Recibes una nueva frase de recuperación. Anótala: la antigua solo abre las copias anteriores.',
  removeDo: 'Quitar y cambiar la clave',
  revoke: 'Revocar…',
  revokeOf: (name) => `Revocar ${m.text(name)}`,
  revokeTitle: (name) => `¿Revocar “${m.text(name)}”?`,
  revokeBody: 'Ese equipo ya no puede copiar ni restaurar. Sus puntos de restauración se conservan, y puedes restaurarlos desde aquí. No se puede deshacer; habría que configurar el equipo de nuevo.',
  revokeDo: 'Revocar',
  signIn: 'Inicia sesión para confirmar que eres tú. Tu contraseña no se guarda.',
  renewTitle: '¿Cambiar también la clave de tus copias?',
  renewBody: (name) => `“${m.text(name)}” ya no puede acceder al servicio, pero todavía tiene la clave. Quien llegue a tus copias por otro medio podría abrir también las futuras. Una clave nueva lo impide.`,
  renewDo: 'Cambiar la clave',
  revoked: (name) => `“${m.text(name)}” está revocado.`,
});
