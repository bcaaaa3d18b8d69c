import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../ui/ui.css';
import { Portal } from './portal.tsx';

createRoot(document.querySelector('#portal')!).render(
  <StrictMode>
    <Portal />
  </StrictMode>,
);
