import { useEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import type { Preview } from '../../../../ipc/contract/restore/preview.ts';
import { THUMBNAIL_PIXELS } from '../../../../ipc/contract/restore/preview.ts';
import { galleryMessage, type GalleryRequest } from '../../../gallery-page/messages.ts';
import { useLanguage } from '../../../shared/use-language.ts';

interface PictureFrameProps {
  /** Of the file. */
  readonly name: string;
  readonly picture: Extract<Preview, { readonly kind: 'picture' }>;
}

/**
 * A picture in a frame without scripts. Chromium shows nothing for one that it cannot decode, and tells nobody, so that a second frame, which shows
 * nothing, decodes it by the script of thumbnails and tells whether it could.
 */
export function PictureFrame({ name, picture }: PictureFrameProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.restore.look;
  const { preview, address, width, height } = picture;
  const check = useRef<HTMLIFrameElement>(null);
  // The largest would be in memory twice.
  const [state, setState] = useState<'checking' | 'shown' | 'damaged'>(
    width * height > THUMBNAIL_PIXELS ? 'shown' : 'checking',
  );
  useEffect(() => {
    const onMessage = ({ source, data }: MessageEvent): void => {
      const page = check.current?.contentWindow;
      if (!page || source !== page) return;
      const { data: message } = galleryMessage.safeParse(data);
      const request: GalleryRequest = { picture: preview };
      // The frame has an opaque origin.
      if (message?.picture === '') page.postMessage(request, '*');
      else if (message?.picture === preview) setState(message.drawn ? 'shown' : 'damaged');
    };
    addEventListener('message', onMessage);
    return () => removeEventListener('message', onMessage);
  }, [preview]);
  return (
    <>
      <iframe
        className="look-frame"
        data-kind="picture"
        src={address}
        sandbox=""
        referrerPolicy="no-referrer"
        title={words.picture(name)}
      />
      {state === 'checking' && (
        <iframe
          ref={check}
          hidden
          aria-hidden="true"
          tabIndex={-1}
          title={words.picture(name)}
          src={`${address}check`}
          sandbox="allow-scripts"
          referrerPolicy="no-referrer"
        />
      )}
      <p className="ui-hint ui-number" role="status" data-live-announcer>
        {words.pixels(formats.number(width), formats.number(height))}
        {state === 'damaged' && ` · ${words.damagedPicture}`}
      </p>
    </>
  );
}
