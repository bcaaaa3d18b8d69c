import { useEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { useLanguage } from '../../shared/use-language.ts';
import { isUnencrypted } from '../../../base/unencrypted.ts';

/** Warns before a password is typed that everybody on the way can read it. */
export function Unencrypted({ address }: { readonly address: string }): ReactElement | null {
  return isUnencrypted(address) ? <Warning /> : null;
}

function Warning(): ReactElement {
  const words = useLanguage().strings.destinationChoice;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // It appears while the person types, and may be outside of the visible part.
    box.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <div ref={box}>
      <Notice tone="warning">
        <p>{words.unencrypted}</p>
      </Notice>
    </div>
  );
}
