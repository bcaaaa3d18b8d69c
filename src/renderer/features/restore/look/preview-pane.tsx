import { useMemo } from 'react';
import type { ReactElement } from 'react';
import type { Preview } from '../../../../ipc/contract/restore/preview.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Empty } from '../../../../ui/feedback/empty.tsx';
import { Loaded } from '../../../../ui/requests/loaded.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { DocumentFrame } from './document-frame.tsx';
import { PictureFrame } from './picture-frame.tsx';
import { TextView } from './text-view.tsx';
import { rowsOf } from './text-rows.ts';
import type { PreviewResource } from './use-preview.ts';

interface PreviewPaneProps {
  /** Of the file. */
  readonly name: string;
  readonly preview: PreviewResource;
}

/** The content of a file, as far as it can be shown without danger. */
export function PreviewPane({ name, preview }: PreviewPaneProps): ReactElement {
  return (
    <div className="look-pane">
      <Loaded resource={preview}>
        {(value) => <Content name={name} value={value} onFetch={preview.fetchLarge} />}
      </Loaded>
    </div>
  );
}

interface ContentProps {
  readonly name: string;
  readonly value: Preview;
  readonly onFetch: () => void;
}

function Content({ name, value, onFetch }: ContentProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.restore.look;
  switch (value.kind) {
    case 'too-large':
      return (
        <Empty icon="file" title={words.large(formats.bytes(value.size))}>
          {value.isPossible ? (
            <Button onPress={onFetch}>{words.fetch(formats.bytes(value.size))}</Button>
          ) : (
            words.tooLarge
          )}
        </Empty>
      );
    case 'text':
      return <Text name={name} text={value.text} isWhole={value.isWhole} />;
    case 'pdf':
      return <DocumentFrame key={value.address} name={name} address={value.address} />;
    case 'picture':
      return <PictureFrame key={value.address} name={name} picture={value} />;
    case 'audio':
      return (
        <iframe
          className="look-frame"
          data-kind="audio"
          src={value.address}
          sandbox=""
          referrerPolicy="no-referrer"
          title={words.audio(name)}
        />
      );
    case 'none':
      return (
        <Empty icon="file" title={words.none[value.reason].title}>
          {words.none[value.reason].hint}
        </Empty>
      );
  }
}

function Text({
  name,
  text,
  isWhole,
}: {
  readonly name: string;
  readonly text: string;
  readonly isWhole: boolean;
}): ReactElement {
  const { strings } = useLanguage();
  const words = strings.restore.look;
  const rows = useMemo(() => rowsOf(text), [text]);
  return (
    <>
      <TextView label={words.text(name)} rows={rows} />
      {!isWhole && <p className="ui-hint">{words.beginning}</p>}
    </>
  );
}
