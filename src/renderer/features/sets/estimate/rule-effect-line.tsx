import type { ReactElement } from 'react';
import type { RuleEffect } from '../../../../ipc/contract/sets.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import type { Counted } from './use-estimate.ts';

interface RuleEffectLineProps {
  /** The rule as it is shown. */
  readonly rule: string;
  readonly effect: RuleEffect | undefined;
  readonly counted: Counted;
}

/** Shows what a rule excludes and saves, with examples. The figures grow during the count. */
export function RuleEffectLine({ rule, effect, counted }: RuleEffectLineProps): ReactElement | null {
  const { strings, formats } = useLanguage();
  const words = strings.sets.leaveOut;
  if (counted.kind === 'none' || counted.kind === 'failed') return null;
  if (!effect || effect.examples.length === 0) {
    const isDone = counted.kind === 'known' && counted.estimate.done;
    return <p className="ui-hint">{isDone ? words.nothing : words.counting}</p>;
  }
  const saved = words.saves(strings.activity.files(effect.files), formats.bytes(effect.bytes));
  return (
    <details className="set-effect">
      <summary aria-label={`${saved}. ${words.showExamples(rule)}`}>
        <span className="ui-number">{saved}</span>
      </summary>
      <ul className="set-paths ui-path ui-small" aria-label={words.examples}>
        {effect.examples.map((path) => (
          <li key={path}>{path}</li>
        ))}
      </ul>
    </details>
  );
}
