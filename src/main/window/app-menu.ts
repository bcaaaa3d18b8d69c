import { app, Menu } from 'electron';
import type { MenuItemConstructorOptions } from 'electron';
import type { Language } from '../../strings/strings.ts';

/** The keys that people expect of a window; outside of macOS the menu itself is hidden until Alt is pressed. */
export function setAppMenu({ strings }: Language): void {
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
    { role: 'close', label: menu.close, accelerator: 'CommandOrControl+W' },
    { role: 'quit', label: menu.quit, accelerator: 'CommandOrControl+Q' },
  ];
  const isMac = process.platform === 'darwin';
  Menu.setApplicationMenu(
    Menu.buildFromTemplate([
      ...(isMac ? [{ role: 'appMenu' as const }] : []),
      { label: menu.file, submenu: isMac ? file.slice(0, 1) : file },
      { role: 'editMenu', label: menu.edit },
      { label: menu.view, submenu: view },
      ...(isMac ? [{ role: 'windowMenu' as const, label: menu.window }] : []),
    ]),
  );
}
