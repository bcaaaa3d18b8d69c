import type { ReactElement } from 'react';
import { IconButton } from '../../../../ui/buttons/icon-button.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { lookAt } from '../store/restore-store.ts';
import type { Looking } from '../store/restore-store.ts';

/** Goes to the files beside the shown one in its list, and closes the dialog. */
export function LookHead({ looking: { neighbour } }: { readonly looking: Looking }): ReactElement {
  const { strings } = useLanguage();
  const words = strings.restore.look;
  const previous = neighbour?.('previous');
  const next = neighbour?.('next');
  return (
    <div className="look-head">
      {neighbour && (
        <>
          <IconButton icon="left" label={words.previousFile} isDisabled={!previous} onPress={() => previous?.()} />
          <IconButton icon="right" label={words.nextFile} isDisabled={!next} onPress={() => next?.()} />
        </>
      )}
      <IconButton icon="close" label={strings.common.close} onPress={() => lookAt(undefined)} />
    </div>
  );
}
