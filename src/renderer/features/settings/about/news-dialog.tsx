import type { ReactElement } from 'react';
import { Button } from '../../../../ui/buttons/button.tsx';
import { ModalDialog } from '../../../../ui/dialogs/modal-dialog.tsx';
import { Loaded } from '../../../../ui/requests/loaded.tsx';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useCall } from '../../../bridge/use-call.ts';
import { useLanguage } from '../../../shared/use-language.ts';

interface NewsDialogProps {
  readonly onClose: () => void;
}

/** The changes of this version, and of the newer one if there is one. The changelog is in English. */
export function NewsDialog({ onClose }: NewsDialogProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.updates;
  const news = useCall('update.news', {});
  const version = useAppState((state) => state.version) ?? '';
  const newer = useAppState((state) => (state.update && 'version' in state.update ? state.update.version : undefined));
  return (
    <ModalDialog title={words.newsTitle} onClose={onClose}>
      <Loaded resource={news}>
        {(found) => (
          <>
            {/* It scrolls, also by keys. */}
            {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
            <div className="settings-text-box settings-news" tabIndex={0} role="region" aria-label={words.newsTitle}>
              {found.newer !== undefined && newer !== undefined && (
                <Changes title={words.newsOf(newer)} markdown={found.newer} />
              )}
              <Changes title={words.newsOf(version)} markdown={found.current} />
            </div>
            <div className="ui-actions">
              <Button kind="primary" onPress={onClose}>
                {strings.common.close}
              </Button>
            </div>
          </>
        )}
      </Loaded>
    </ModalDialog>
  );
}

function Changes({ title, markdown }: { readonly title: string; readonly markdown: string }): ReactElement {
  return (
    <section>
      <h3>{title}</h3>
      <ul lang="en">
        {entriesOf(markdown).map((entry) => (
          <li key={entry}>{entry}</li>
        ))}
      </ul>
    </section>
  );
}

/** Returns the items of the lists in a text of Markdown, without its marks. */
function entriesOf(markdown: string): readonly string[] {
  const items = markdown.split(/^- /m).slice(1);
  const plain = items.map((item) => {
    const [paragraph = ''] = item.split(/\n\s*\n|\n#/);
    return paragraph
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/\*\*|`/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim();
  });
  return [...new Set(plain)].slice(0, 300);
}
