import type { ReactElement } from 'react';
import type { Trial } from '../../../ipc/contract/setup.ts';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { useLanguage } from '../../shared/use-language.ts';

/** What a store does not promise. The fields warn about a connection without encryption before a password is typed. */
export function Cautions({ trial }: { readonly trial: Trial }): ReactElement {
  const cautions = trial.cautions ?? [];
  const words = useLanguage().strings.destinationChoice;
  const warnings = (['read-only', 'overwrites', 'grows', 'versions'] as const).filter((caution) =>
    cautions.includes(caution),
  );
  const remarks = (['races', 'power-cut'] as const).filter((caution) => cautions.includes(caution));
  return (
    <>
      {warnings.map((caution) => (
        <Notice key={caution} tone="warning">
          <p>{words.cautions[caution]}</p>
        </Notice>
      ))}
      {remarks.length > 0 && (
        <p className="ui-soft">
          {words.goodToKnow} {remarks.map((caution) => words.cautions[caution]).join(' ')}
        </p>
      )}
    </>
  );
}
