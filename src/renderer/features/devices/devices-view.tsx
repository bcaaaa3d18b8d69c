import type { ReactElement } from 'react';
import { useLanguage } from '../../use-language.ts';

export function DevicesView(): ReactElement {
  const { strings } = useLanguage();
  return <h1>{strings.common.views.devices}</h1>;
}
