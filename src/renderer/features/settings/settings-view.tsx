import type { ReactElement } from 'react';
import { useLanguage } from '../../use-language.ts';

export function SettingsView(): ReactElement {
  const { strings } = useLanguage();
  return <h1>{strings.common.views.settings}</h1>;
}
