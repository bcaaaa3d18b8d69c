import type { ReactElement } from 'react';
import type { SetForm } from '../../../../model/set.ts';
import { isAcceptable } from '../../../../ipc/missed-folder.ts';
import type { FolderProblem } from '../../../../model/need.ts';
import { shortPath } from '../../../../strings/short-path.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { toast } from '../../../../ui/feedback/toast.tsx';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { call } from '../../../bridge/bridge.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { AcceptFolders } from './accept-folders.tsx';

interface AbsentFolderButtonsProps {
  readonly set: string;
  /** A root of the set, or a disk in one. */
  readonly folder: string;
  readonly problem: FolderProblem;
  /** Called with a backup that a person has started here. */
  readonly onStarted?: ((run: number) => void) | undefined;
}

const LENGTH = 40;

/**
 * The ways out for a folder that a backup did without: what was in it is gone for good, the set does without it, silently, or does not have it any
 * more.
 */
export function AbsentFolderButtons({ set, folder, problem, onStarted }: AbsentFolderButtonsProps): ReactElement {
  const words = useLanguage().strings.sets.absent;
  const { isPending, failure, run } = useAction();
  const change = (changed: (form: SetForm) => SetForm, done: string): void =>
    run(async () => {
      const { form } = await call('sets.get', { set });
      await call('sets.save', { set, form: changed(form) });
      toast(done);
    });
  const isRoot = useAppState((state) =>
    state.sets.some(({ name: own, roots }) => own === set && roots.includes(folder)),
  );
  const name = shortPath(folder, LENGTH);
  return (
    <div className="ui-stack-tight">
      <div className="ui-row">
        {isAcceptable(problem) && <AcceptFolders set={set} folders={[folder]} onStarted={onStarted} />}
        <Button
          label={words.leaveOutOf(name)}
          isPending={isPending}
          onPress={() => change((form) => withOptional(form, folder), words.leftOut(name))}
        >
          {words.leaveOut}
        </Button>
        {isRoot && (
          <Button
            label={words.removeOf(name)}
            isPending={isPending}
            onPress={() => change((form) => withoutRoot(form, folder), words.removed(name, set))}
          >
            {words.remove}
          </Button>
        )}
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
