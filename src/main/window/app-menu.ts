import { app, Menu } from 'electron';
import type { MenuItemConstructorOptions } from 'electron';
import { view as views } from '../../ipc/contract/contract.ts';
import type { View } from '../../ipc/contract/contract.ts';
import type { Language } from '../../strings/strings.ts';

interface MenuParts {
  /** True while the window's lock is on and open. */
  readonly canLock: boolean;
  readonly lock: () => void;
  readonly backUp: () => void;
  readonly show: (view: View) => void;
}

/** Sets the application menu and its keyboard shortcuts; outside of macOS the menu is hidden until Alt is pressed. */
export function setAppMenu({ strings }: Language, { canLock, lock, backUp, show }: MenuParts): void {
  const { menu } = strings.shell;
  const viewItems: MenuItemConstructorOptions[] = views.options.map((one, index) => ({
    label: strings.common.views[one],
    accelerator: `CommandOrControl+${index + 1}`,
    // The window handles these keys itself (renderer/shell/use-window-keys.ts).
    registerAccelerator: false,
    click: () => show(one),
  }));
  const view: MenuItemConstructorOptions[] = [
    ...viewItems,
    { type: 'separator' },
    { role: 'zoomIn', label: menu.zoomIn },
    // Adds the same key without Shift.
    { role: 'zoomIn', label: menu.zoomIn, accelerator: 'CommandOrControl+=', visible: false },
    { role: 'zoomOut', label: menu.zoomOut },
    { role: 'resetZoom', label: menu.zoomReset },
    { type: 'separator' },
    { role: 'togglefullscreen', label: menu.fullScreen },
  ];
  if (!app.isPackaged) view.push({ type: 'separator' }, { role: 'reload' }, { role: 'toggleDevTools' });
  const file: MenuItemConstructorOptions[] = [
    { label: menu.backUp, accelerator: 'CommandOrControl+B', click: backUp },
    { label: menu.lock, accelerator: 'CommandOrControl+L', enabled: canLock, click: lock },
    {
      label: strings.common.views.settings,
      accelerator: 'CommandOrControl+,',
      registerAccelerator: false,
      click: () => show('settings'),
    },
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
