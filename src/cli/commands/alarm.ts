import { shellWord } from '../text.ts';

/** What made a run suspicious. */
const SIGNS: Readonly<Record<string, string>> = {
  mass_rewrite: 'most files were overwritten',
  mass_encryption: 'many files were overwritten with what looks encrypted',
  mass_deletion: 'most files were deleted',
  mass_damage: 'files no longer are what their names say',
  known_names: 'files have names that ransomware gives',
};

/** @param place name of the destination; `undefined` if there is one */
export function signsText(set: string, reasons: readonly string[], place?: string): string {
  const seen = reasons.map((reason) => SIGNS[reason] ?? reason);
  const at = place === undefined ? '' : ` --destination ${shellWord(place)}`;
  return (
    `shows signs of ransomware${seen.length === 0 ? '' : `: ${seen.join('; ')}`}. Nothing is removed there until you have looked. ` +
    'If you made these changes yourself, dismiss it with: ' +
    `holdfast retention release ${shellWord(set)}${at}. If not, restore on another computer from a restore point before that, which this shows: holdfast retention show ${shellWord(set)}${at}`
  );
}

/** @param alarm its time in milliseconds since the epoch */
export function alarmJson(
  alarm: { readonly since: number; readonly reasons: readonly string[] } | undefined,
): object | null {
  return alarm ? { since: new Date(alarm.since).toISOString(), reasons: alarm.reasons } : null;
}
