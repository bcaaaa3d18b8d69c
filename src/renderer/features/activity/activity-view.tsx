import type { ReactElement } from 'react';
import { useLanguage } from '../../use-language.ts';

export function ActivityView(): ReactElement {
  const { strings } = useLanguage();
  return <h1>{strings.common.views.activity}</h1>;
}
