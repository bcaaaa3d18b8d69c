import type { ReactElement } from 'react';
import { Button } from '../../ui/button.tsx';
import { useLanguage } from '../../use-language.ts';

interface OnboardingProps {
  /** The first backup is on its way, or the person wants to go on later. */
  readonly onDone: () => void;
}

export function Onboarding({ onDone }: OnboardingProps): ReactElement {
  const { strings } = useLanguage();
  return <Button onPress={() => onDone()}>{strings.common.product}</Button>;
}
