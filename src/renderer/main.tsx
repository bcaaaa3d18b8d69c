import './without-eval.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './fonts.css';
import './ui/tokens.css';
import './ui/base.css';
import './ui/controls.css';
import './ui/choices.css';
import './ui/fields.css';
import './ui/data.css';
import './window.css';
import { App } from './app.tsx';
import { allowClearing } from './trusted-text.ts';
import { followState } from './use-app-state.ts';

allowClearing();
followState();
createRoot(document.querySelector('#window')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
