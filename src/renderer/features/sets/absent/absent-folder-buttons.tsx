import type { ReactElement } from 'react';
import type { SetForm } from '../../../../ipc/contract/configured-set.ts';
import { shortPath } from '../../../../strings/short-path.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { toast } from '../../../../ui/feedback/toast.tsx';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { call } from '../../../bridge/bridge.ts';
import { useLanguage } from '../../../shared/use-language.ts';

interface AbsentFolderButtonsProps {
  readonly set: string;
  /** A root of the set. */
  readonly folder: string;
}

const LENGTH = 40;

/** The two ways out for a folder that a backup did without: the set does without it, silently, or does not have it any more. */
export function AbsentFolderButtons({ set, folder }: AbsentFolderButtonsProps): ReactElement {
  const words = useLanguage().strings.sets.absent;
  const { isPending, failure, run } = useAction();
  const change = (changed: (form: SetForm) => SetForm, done: string): void =>
    run(async () => {
      const { form } = await call('sets.get', { set });
      await call('sets.save', { set, form: changed(form) });
      toast(done);
    });
  const name = shortPath(folder, LENGTH);
  return (
    <div className="ui-stack-tight">
      <div className="ui-row">
        <Button
          label={words.leaveOutOf(name)}
          isPending={isPending}
          onPress={() => change((form) => withOptional(form, folder), words.leftOut(name))}
        >
          {words.leaveOut}
        </Button>
        <Button
          label={words.removeOf(name)}
          isPending={isPending}
          onPress={() => change((form) => withoutRoot(form, folder), words.removed(name, set))}
        >
          {words.remove}
        </Button>
      </div>
      <FailureNotice failure={failure} />
    </div>
  );
}

function withOptional(form: SetForm, folder: string): SetForm {
  return { ...form, optionalRoots: [...new Set([...(form.optionalRoots ?? []), folder])] };
}

function withoutRoot(form: SetForm, folder: string): SetForm {
  return { ...form, roots: form.roots.filter((root) => root !== folder) };
}
