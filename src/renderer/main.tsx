import './without-eval.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '@fontsource-variable/inter/wght.css';
import '../ui/ui.css';
import './window.css';
import { App } from './app.tsx';
import { allowClearing } from './trusted-text.ts';
import { followState } from './bridge/use-app-state.ts';

allowClearing();
followState();
createRoot(document.querySelector('#window')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
