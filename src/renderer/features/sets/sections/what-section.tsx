import { useState } from 'react';
import type { ReactElement } from 'react';
import { call } from '../../../bridge/bridge.ts';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { Chip } from '../../../../ui/buttons/chip.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Checkbox } from '../../../../ui/choices/checkbox.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { useCall } from '../../../bridge/use-call.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { changeDraft } from '../draft/draft.ts';
import type { Draft } from '../draft/draft.ts';
import { FolderTree } from '../folders/folder-tree.tsx';
import { InclusionRules } from '../draft/inclusion.ts';
import { nameOf } from '../../../../model/local-path.ts';

/** The folders of the set: the chosen ones, suggestions and the tree of all folders. */
export function WhatSection({ draft }: { readonly draft: Draft }): ReactElement {
  const { strings } = useLanguage();
  const words = strings.sets.what;
  const { absent } = strings.sets;
  const suggested = useCall('sets.suggestions', {});
  const [showsHidden, setShowsHidden] = useState(false);
  const choosing = useAction();
  // No preset leaves out a folder that is chosen or suggested.
  const rules = new InclusionRules(draft, () => false);
  const add = (path: string, choice = rules): void => {
    if (choice.of(path, true) !== 'included') changeDraft(choice.toggled(path, true));
  };
  const choose = (): void =>
    choosing.run(async () => {
      const { path } = await call('shell.choose-folder', { title: words.addFolderTitle });
      if (path === undefined) return;
      const { folders } = await call('sets.left-out', { path });
      const leftOut = folders.filter((folder) => folder.presets.some((name) => draft.presets.includes(name)));
      add(path, new InclusionRules(draft, (entry) => leftOut.some((folder) => folder.path === entry)));
    });
  const left = (suggested.kind === 'ready' ? suggested.value.folders : []).filter(
    ({ path }) => rules.of(path, true) === 'outside',
  );
  return (
    <div className="ui-stack">
      <section className="ui-stack-tight" aria-label={words.chosen}>
        {draft.roots.length === 0 ? (
          <p className="ui-soft">{words.none}</p>
        ) : (
          <ul className="ui-chips">
            {draft.roots.map((root) => (
              <Chip
                key={root}
                title={root}
                label={words.remove(nameOf(root))}
                onRemove={() => changeDraft(rules.withoutRoot(root))}
              >
                {root}
              </Chip>
            ))}
          </ul>
        )}
      </section>
      {draft.optionalRoots.length > 0 && (
        <section className="ui-stack-tight" aria-label={absent.optional}>
          <h3>{absent.optional}</h3>
          <p className="ui-soft ui-small">{absent.optionalHint}</p>
          <ul className="ui-chips">
            {draft.optionalRoots.map((root) => (
              <Chip
                key={root}
                title={root}
                label={absent.report(nameOf(root))}
                onRemove={() => changeDraft({ optionalRoots: draft.optionalRoots.filter((other) => other !== root) })}
              >
                {root}
              </Chip>
            ))}
          </ul>
        </section>
      )}
      {left.length > 0 && (
        <section className="set-suggestions" aria-label={words.suggestions}>
          <span className="ui-soft ui-small">{words.suggestions}</span>
          {left.map(({ path, kind }) => (
            <Button key={path} onPress={() => add(path)}>
              <Icon name="plus" />
              {words.suggestion[kind]}
            </Button>
          ))}
        </section>
      )}
      <p className="ui-soft ui-small">{words.lead}</p>
      <FolderTree draft={draft} showsHidden={showsHidden} />
      <div className="ui-between">
        <Checkbox isSelected={showsHidden} onChange={setShowsHidden}>
          {words.showHidden}
        </Checkbox>
        <Button isPending={choosing.isPending} onPress={choose}>
          {words.addFolder}
        </Button>
      </div>
      <FailureNotice failure={choosing.failure} />
    </div>
  );
}
