import { dialog } from 'electron';
import type { BrowserWindow } from 'electron';
import type { HookTexts } from '../../ipc/contract/hooks.ts';
import type { Language } from '../../strings/strings.ts';

export interface AskedHooks {
  readonly set: string;
  readonly commands: HookTexts;
}

/** Characters of a command that the dialog shows; a longer one is refused, since nobody could confirm it. */
export const MOST_SHOWN = 1_000;

/** Returns the text of the dialog; `undefined` if the commands are too long to be shown completely. */
export function hooksDetail({ commands: { before, after } }: AskedHooks, { strings }: Language): string | undefined {
  const { hooks } = strings.shell;
  const parts = [
    [hooks.before, before?.line],
    [hooks.after, after?.line],
  ].flatMap(([label, line]) => (line === undefined || line.trim() === '' ? [] : [`${label}\n${visible(line)}`]));
  const detail = [...parts, hooks.detail].join('\n\n');
  return detail.length > MOST_SHOWN + hooks.detail.length ? undefined : detail;
}

/** Asks in a dialog of the system whether these commands may run around the backups of a set. */
export async function confirmHooks(
  asked: AskedHooks,
  language: Language,
  window: BrowserWindow | undefined,
): Promise<boolean> {
  const { hooks } = language.strings.shell;
  // Nothing runs that did not run before.
  if (!asked.commands.before && !asked.commands.after) return true;
  const detail = hooksDetail(asked, language);
  const options = {
    type: 'warning' as const,
    message: detail === undefined ? hooks.tooLong : hooks.message(asked.set),
    detail: detail ?? hooks.tooLongDetail,
    buttons: detail === undefined ? [hooks.cancel] : [hooks.cancel, hooks.allow],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  };
  const { response } = await (window ? dialog.showMessageBox(window, options) : dialog.showMessageBox(options));
  return response === 1;
}

/** Shows characters that would change how the text reads, such as those that reverse it. */
function visible(line: string): string {
  return line.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character === '\n' ? '\n' : `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}
