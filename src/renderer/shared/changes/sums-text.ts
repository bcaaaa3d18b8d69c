import type { ChangeSums } from '../../../ipc/contract/restore/history.ts';
import type { Language } from '../../../strings/strings.ts';

/** `12 added, 3 changed, 1 removed` */
export function sumsText({ added, changed, removed }: ChangeSums, { strings, formats }: Language): string {
  const words = strings.activity.changes;
  return formats.series([
    ...(added > 0 ? [words.added(added)] : []),
    ...(changed > 0 ? [words.changed(changed)] : []),
    ...(removed > 0 ? [words.removed(removed)] : []),
  ]);
}
