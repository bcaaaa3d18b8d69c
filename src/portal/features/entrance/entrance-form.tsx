import type { ReactElement, ReactNode } from 'react';
import { Form } from 'react-aria-components';
import { Button } from '../../../ui/buttons/button.tsx';
import { FailureNotice } from '../../../ui/requests/failure-notice.tsx';
import { useAction } from '../../../ui/requests/use-action.ts';

interface EntranceFormProps {
  /** The fields. */
  readonly children: ReactNode;
  /** Label of the button that submits. */
  readonly submit: string;
  readonly work: (form: HTMLFormElement) => Promise<unknown>;
  /** Below the button. */
  readonly foot?: ReactNode;
}

/** One step of signing in. */
export function EntranceForm({ children, submit, work, foot }: EntranceFormProps): ReactElement {
  const { isPending, failure, run } = useAction();
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        run(() => work(form));
      }}
    >
      {children}
      <FailureNotice failure={failure} />
      <Button kind="primary" type="submit" isPending={isPending}>
        {submit}
      </Button>
      {foot !== undefined && <div className="portal-entrance-foot">{foot}</div>}
    </Form>
  );
}
