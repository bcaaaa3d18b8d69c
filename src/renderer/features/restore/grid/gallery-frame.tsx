import { useEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import { useLanguage } from '../../../shared/use-language.ts';
import type { Thumbnails } from './thumbnails.ts';

interface GalleryFrameProps {
  readonly address: string;
  readonly thumbnails: Thumbnails;
}

/** The frame in whose process pictures are decoded. It shows nothing. */
export function GalleryFrame({ address, thumbnails }: GalleryFrameProps): ReactElement {
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    const onMessage = ({ source, data }: MessageEvent): void => {
      const page = frame.current?.contentWindow;
      if (page && source === page) thumbnails.hear(page, data);
    };
    addEventListener('message', onMessage);
    return () => removeEventListener('message', onMessage);
  }, [thumbnails]);
  return (
    <iframe
      ref={frame}
      hidden
      aria-hidden="true"
      tabIndex={-1}
      title={useLanguage().strings.restore.browser.grid}
      src={address}
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
    />
  );
}
