import type { ReactElement } from 'react';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { PathText } from '../../../shared/path-text.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { keyOf, problemText } from './problem.ts';
import type { Problem } from './problem.ts';

interface GeneralWarningsProps {
  readonly problems: readonly Problem[];
  /** `warning` by default. */
  readonly tone?: 'warning' | 'plain';
}

/** The warnings of a run that are about no file: what they concern, and what it means. */
export function GeneralWarnings({ problems, tone = 'warning' }: GeneralWarningsProps): ReactElement | null {
  const language = useLanguage();
  if (problems.length === 0) return null;
  return (
    <Notice tone={tone}>
      {problems.map((problem) => {
        const { name, why } = problemText(problem, language);
        return (
          <p key={keyOf(problem)}>
            <span className="act-strong">
              <PathText path={name} />
            </span>{' '}
            {why}
          </p>
        );
      })}
    </Notice>
  );
}
