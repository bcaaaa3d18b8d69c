import type { ReactElement } from 'react';
import type { View } from '../../../ipc/contract.ts';
import { Button } from '../../ui/button.tsx';
import { useLanguage } from '../../use-language.ts';

interface HomeViewProps {
  readonly onView: (view: View) => void;
}

export function HomeView({ onView }: HomeViewProps): ReactElement {
  const { strings } = useLanguage();
  return <Button onPress={() => onView('sets')}>{strings.common.views.home}</Button>;
}
