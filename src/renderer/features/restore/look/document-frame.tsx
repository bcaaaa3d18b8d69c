import { useEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { Empty } from '../../../../ui/feedback/empty.tsx';
import { documentMessage, type DocumentMessage } from '../../../document-page/messages.ts';
import { useLanguage } from '../../../shared/use-language.ts';

interface DocumentFrameProps {
  /** Of the page in the frame. */
  readonly address: string;
  /** Of the file. */
  readonly name: string;
}

/** A PDF document, drawn by a page in a frame that has scripts of its own and nothing else. */
export function DocumentFrame({ address, name }: DocumentFrameProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.restore.look;
  const frame = useRef<HTMLIFrameElement>(null);
  const [told, setTold] = useState<DocumentMessage>();
  useEffect(() => {
    const onMessage = ({ source, data }: MessageEvent): void => {
      if (source === null || source !== frame.current?.contentWindow) return;
      const { data: message } = documentMessage.safeParse(data);
      if (message) setTold(message);
    };
    addEventListener('message', onMessage);
    return () => removeEventListener('message', onMessage);
  }, []);
  if (told?.kind === 'failed') {
    const { title, hint } = words.none[`pdf-${told.reason}`];
    return (
      <Empty icon="file" title={title}>
        {hint}
      </Empty>
    );
  }
  const hint = (): string => {
    if (!told) return words.openingDocument;
    if (told.shown === told.pages) return words.pages(told.pages);
    return words.firstPages(formats.number(told.shown), formats.number(told.pages));
  };
  return (
    <>
      <iframe
        ref={frame}
        className="look-frame"
        data-kind="pdf"
        src={address}
        sandbox="allow-scripts"
        referrerPolicy="no-referrer"
        title={words.document(name)}
      />
      <p className="ui-hint ui-number" role="status" data-live-announcer>
        {hint()}
      </p>
    </>
  );
}
