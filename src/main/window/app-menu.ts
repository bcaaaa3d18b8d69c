import { app, Menu } from 'electron';
import type { MenuItemConstructorOptions } from 'electron';
import type { Language } from '../../strings/strings.ts';

interface LockItem {
  /** Whether there is anything to lock just now. */
  readonly isEnabled: boolean;
  readonly lock: () => void;
}

/** The keys that people expect of a window; outside of macOS the menu itself is hidden until Alt is pressed. */
export function setAppMenu({ strings }: Language, { isEnabled, lock }: LockItem): void {
  const { menu } = strings.shell;
  const view: MenuItemConstructorOptions[] = [
    { role: 'zoomIn', label: menu.zoomIn },
    // The same key without Shift.
    { role: 'zoomIn', label: menu.zoomIn, accelerator: 'CommandOrControl+=', visible: false },
    { role: 'zoomOut', label: menu.zoomOut },
    { role: 'resetZoom', label: menu.zoomReset },
    { type: 'separator' },
    { role: 'togglefullscreen', label: menu.fullScreen },
  ];
  if (!app.isPackaged) view.push({ type: 'separator' }, { role: 'reload' }, { role: 'toggleDevTools' });
  const file: MenuItemConstructorOptions[] = [
    { label: menu.lock, accelerator: 'CommandOrControl+L', enabled: isEnabled, click: lock },
    { type: 'separator' },
    { role: 'close', label: menu.close, accelerator: 'CommandOrControl+W' },
    { role: 'quit', label: menu.quit, accelerator: 'CommandOrControl+Q' },
  ];
  const isMac = process.platform === 'darwin';
  Menu.setApplicationMenu(
    Menu.buildFromTemplate([
      ...(isMac ? [{ role: 'appMenu' as const }] : []),
      { label: menu.file, submenu: isMac ? file.slice(0, -1) : file },
      { role: 'editMenu', label: menu.edit },
      { label: menu.view, submenu: view },
      ...(isMac ? [{ role: 'windowMenu' as const, label: menu.window }] : []),
    ]),
  );
}
