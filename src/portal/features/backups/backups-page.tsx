import { useCallback, useState } from 'react';
import type { ReactElement } from 'react';
import type { PortalBackupSet } from '../../../protocol/portal/portal.ts';
import { Empty } from '../../../ui/feedback/empty.tsx';
import { SearchField } from '../../../ui/fields/search-field.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import { Loaded } from '../../../ui/requests/loaded.tsx';
import { useResource } from '../../../ui/requests/use-resource.ts';
import { backups } from '../../api/calls.ts';
import { Page } from '../../shared/page.tsx';
import { Pager } from '../../shared/pager.tsx';
import { useSettled } from '../../shared/use-settled.ts';
import { RestorePoints } from '../../shared/restore-points/restore-points.tsx';
import { SetTable } from '../../shared/restore-points/set-table.tsx';
import { useLanguage } from '../../strings/language.ts';

/** @param mayManage whether the person may change the retention of restore points */
export function BackupsPage({ mayManage }: { readonly mayManage: boolean }): ReactElement {
  const { strings } = useLanguage();
  const words = strings.backups;
  const [search, setSearch] = useState('');
  const [offset, setOffset] = useState(0);
  const settled = useSettled(search);
  const sets = useResource(useCallback(() => backups.sets({ search: settled, offset }), [settled, offset]));
  const [shown, setShown] = useState<PortalBackupSet>();
  return (
    <Page title={words.title} lead={words.lead}>
      <Panel title={words.set} isTitleHidden>
        <Loaded resource={sets}>
          {({ backup_sets: all, total }) =>
            total === 0 && settled === '' ? (
              <Empty icon="backups" title={words.none}>
                {words.noneHint}
              </Empty>
            ) : (
              <>
                <SearchField
                  label={strings.pages.search}
                  value={search}
                  onChange={(text) => {
                    setSearch(text);
                    setOffset(0);
                  }}
                />
                {all.length === 0 ? (
                  <Empty icon="search" title={strings.pages.nothing}>
                    {strings.pages.nothingHint}
                  </Empty>
                ) : (
                  <SetTable caption={words.title} sets={all} onShow={setShown} />
                )}
                <Pager offset={offset} total={total} onOffset={setOffset} />
              </>
            )
          }
        </Loaded>
      </Panel>
      {shown && (
        <RestorePoints
          set={shown}
          mayManage={mayManage}
          onClose={() => {
            setShown(undefined);
            sets.reload();
          }}
        />
      )}
    </Page>
  );
}
