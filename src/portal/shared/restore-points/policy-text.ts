import { RETENTION_PERIODS } from '../../../protocol/retention.ts';
import type { RetentionPolicy } from '../../../protocol/retention.ts';
import type { Language } from '../../strings/language.ts';

/** Describes in a sentence what a policy keeps. */
export function policyText(policy: RetentionPolicy | null, { code, strings, formats }: Language): string {
  const words = strings.retention;
  if (!policy) return words.everything;
  const list = new Intl.ListFormat(code, { type: 'conjunction' });
  const periods = RETENTION_PERIODS.filter((period) => policy[period] > 0).map((period) =>
    words.parts[period](policy[period]),
  );
  const parts = [
    ...(policy.keep_all_days > 0 ? [words.parts.keep_all_days(policy.keep_all_days)] : []),
    ...(periods.length > 0 ? [words.endsOf(list.format(periods))] : []),
  ];
  return words.policy(formats.series(parts));
}
