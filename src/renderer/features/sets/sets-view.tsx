import type { ReactElement } from 'react';
import { useLanguage } from '../../use-language.ts';

export function SetsView(): ReactElement {
  const { strings } = useLanguage();
  return <h1>{strings.common.views.sets}</h1>;
}
