import type { ReactElement } from 'react';
import type { View } from '../../../ipc/contract.ts';
import { Button } from '../../ui/button.tsx';
import { useLanguage } from '../../use-language.ts';

interface OnboardingProps {
  /** The first backup is on its way, or the person wants to go on later. */
  readonly onDone: (next: View) => void;
}

export function Onboarding({ onDone }: OnboardingProps): ReactElement {
  const { strings } = useLanguage();
  return <Button onPress={() => onDone('home')}>{strings.common.product}</Button>;
}
