import type { ReactElement } from 'react';
import { useLanguage } from '../../use-language.ts';

export function RestoreView(): ReactElement {
  const { strings } = useLanguage();
  return <h1>{strings.common.views.restore}</h1>;
}
