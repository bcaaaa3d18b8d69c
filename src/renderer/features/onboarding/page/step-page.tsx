import { useEffect, useId, useRef } from 'react';
import type { ReactElement, ReactNode, SyntheticEvent } from 'react';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import './step-page.css';

interface StepPageProps {
  readonly title: string;
  readonly intro?: string;
  readonly children: ReactNode;
  readonly next: string;
  readonly isPending?: boolean;
  /** Another way to continue, beside Back. */
  readonly aside?: ReactNode;
  readonly onNext: () => void;
  readonly onBack?: () => void;
}

/** A step. It gets the focus, and its heading is its name. Enter continues, and its buttons stay visible. */
export function StepPage(props: StepPageProps): ReactElement {
  const { title, intro, children, next, isPending = false, aside, onNext, onBack } = props;
  const { strings } = useLanguage();
  const form = useRef<HTMLFormElement>(null);
  const titleId = useId();
  /** What had the focus at the last attempt, until its problem was shown. */
  const tried = useRef<Element | null>(undefined);
  useEffect(() => {
    if (form.current?.contains(document.activeElement) !== true) form.current?.focus();
  }, []);
  useEffect(() => {
    // After each attempt, the first error is scrolled into view. It gets the focus, unless the person has moved that meanwhile.
    if (tried.current === undefined || isPending) return;
    const at = document.activeElement;
    if (showProblem(form.current, at === tried.current || at === document.body)) tried.current = undefined;
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (isPending) return;
    tried.current = document.activeElement;
    onNext();
  };
  return (
    <form ref={form} className="first-step" tabIndex={-1} aria-labelledby={titleId} noValidate onSubmit={submit}>
      <div className="first-body">
        <div className="first-column">
          <header className="ui-stack-tight">
            <h1 id={titleId}>{title}</h1>
            {intro !== undefined && <p className="ui-soft">{intro}</p>}
          </header>
          {children}
        </div>
      </div>
      <footer className="first-foot">
        <div className="first-column first-buttons">
          {onBack && (
            <Button kind="quiet" onPress={onBack}>
              <Icon name="left" />
              {strings.common.back}
            </Button>
          )}
          <p role="status" data-live-announcer className="first-space ui-soft">
            {isPending && strings.common.loading}
          </p>
          {aside}
          <Button kind="primary" type="submit" isPending={isPending}>
            {next}
          </Button>
        </div>
      </footer>
    </form>
  );
}

function showProblem(form: HTMLFormElement | null, takesFocus: boolean): boolean {
  const field = form?.querySelector<HTMLElement>('[aria-invalid="true"]');
  if (takesFocus) field?.focus();
  const words = field ?? form?.querySelector('[role="alert"]') ?? form?.querySelector('.first-news');
  words?.scrollIntoView({ block: 'nearest' });
  return words !== null && words !== undefined;
}
