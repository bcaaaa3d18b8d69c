import type { Strings } from '../../../../strings/compiled/en.ts';
import type { Language } from '../../../../strings/strings.ts';
import type { Resource } from '../../../../ui/requests/use-resource.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import type { StoredHooks } from '../sections/use-stored-hooks.ts';
import type { StoredPolicy } from '../sections/use-stored-policy.ts';
import type { Draft, Section } from '../draft/draft.ts';
import { scheduleWords } from '../draft/schedule-words.ts';

/** Returns a function that summarizes a section in a word or two. */
export function useSectionSummary(
  draft: Draft,
  stored: Resource<StoredPolicy>,
  hooks: Resource<StoredHooks>,
): (section: Section) => string {
  const language = useLanguage();
  const words = language.strings.sets;
  return (section) => {
    switch (section) {
      case 'what':
        return words.what.summary(draft.roots.length);
      case 'leaveOut':
        return words.leaveOut.summary(draft.presets.length, draft.excludes.length);
      case 'when':
        return scheduleWords(draft.schedule, language);
      case 'conditions':
        return words.conditions.summary(Object.values(draft.conditions).filter(Boolean).length);
      case 'limits':
        return words.limits.summary(limitsOf(draft));
      case 'keep':
        return keepWords(draft, stored, words.keep);
      case 'check':
        return draft.verification ? words.check.summary(draft.verification.everyDays) : words.check.never;
      case 'hooks':
        return hookWords(draft, hooks, language);
      case 'command':
        return words.command.summary;
    }
  };
}

function limitsOf({ limits }: Draft): number {
  const { uploadKiB, downloadKiB, priority } = limits;
  return [uploadKiB, downloadKiB, priority === 'low' ? 1 : undefined].filter((one) => one !== undefined).length;
}

/** Empty until the commands are known. */
function hookWords({ pings }: Draft, hooks: Resource<StoredHooks>, { strings }: Language): string {
  if (hooks.kind !== 'ready') return '';
  const words = strings.sets.hooks;
  const commands = Object.values(hooks.value.commands).filter(Boolean).length;
  const addresses = Object.values(pings).filter((address) => address?.trim()).length;
  if (commands + addresses === 0) return words.none;
  return [
    ...(commands > 0 ? [words.summaryCommands(commands)] : []),
    ...(addresses > 0 ? [words.summaryAddresses(addresses)] : []),
  ].join(' · ');
}

/** Empty until the destination has answered. */
function keepWords({ policy }: Draft, stored: Resource<StoredPolicy>, words: Strings['sets']['keep']): string {
  if (!policy) return { waiting: '', failed: words.unknown, ready: words.own }[stored.kind];
  return Object.keys(policy).length === 0 ? words.summaryAll : words.summaryThin;
}
