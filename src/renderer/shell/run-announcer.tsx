import { useEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { runNews } from '../../strings/run-news.ts';
import type { AnnouncedRun } from '../../strings/run-news.ts';
import { useAppState } from '../bridge/use-app-state.ts';
import { useLanguage } from '../shared/use-language.ts';

/** Announces the progress of runs to screen readers. */
export function RunAnnouncer(): ReactElement {
  const language = useLanguage();
  const state = useAppState((whole) => whole);
  const announced = useRef<AnnouncedRun>(undefined);
  const [said, setSaid] = useState({ text: '', language });
  useEffect(() => {
    if (!state) return;
    const news = runNews(state, announced.current, language);
    announced.current = news.announced;
    if (news.text !== undefined) setSaid({ text: news.text, language });
  }, [state, language]);
  return (
    <p className="ui-hidden" aria-live="polite" data-live-announcer data-part="run-news">
      {said.language === language && said.text}
    </p>
  );
}
