import type { ReactElement } from 'react';
import { Notice } from '../../ui/notice.tsx';
import { useLanguage } from '../../use-language.ts';
import { isUnencrypted } from './is-unencrypted.ts';

/** Said before a password is typed: over such an address everybody on the way can read it. */
export function Unencrypted({ address }: { readonly address: string }): ReactElement | null {
  const words = useLanguage().strings.onboarding.place;
  return isUnencrypted(address) ? (
    <Notice tone="warning">
      <p>{words.unencrypted}</p>
    </Notice>
  ) : null;
}
