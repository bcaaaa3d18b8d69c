import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../renderer/ui/tokens.css';
import '../renderer/ui/base.css';
import '../renderer/ui/controls.css';
import '../renderer/ui/data.css';
import './portal.css';
import { Portal } from './portal.tsx';

createRoot(document.querySelector('#portal')!).render(
  <StrictMode>
    <Portal />
  </StrictMode>,
);
