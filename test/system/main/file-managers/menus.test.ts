import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { requestedPath } from '../../../../src/main/file-managers/requested-path.ts';
import { FileManagerMenus, setFileManagers } from '../../../../src/main/file-managers/set-file-managers.ts';
import { PYTHON, pythonHas } from '../../../helpers/debian-python.ts';

let folder: string;
let environment: NodeJS.ProcessEnv;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-menus-'));
  environment = { XDG_DATA_HOME: at('data'), XDG_CONFIG_HOME: at('config'), XDG_CONFIG_DIRS: at('system') };
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (...names: readonly string[]): string => join(folder, ...names);
const LABEL = 'Restore “previous” & <versions>…';

/** A program that prints its arguments, under a name that needs every kind of quoting. */
function recorder(): readonly string[] {
  const program = at(String.raw`my "prog's" $HOME 100% \ram`);
  writeFileSync(program, `#!/bin/sh\nfor word do printf '%s\\n' "$word"; done > ${at('words')}\n`);
  chmodSync(program, 0o755);
  return [program, '/opt/the app'];
}

function filesBelow(path: string): readonly string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
}

function recorded(): readonly string[] {
  const words = readFileSync(at('words'), 'utf8').trimEnd().split('\n');
  rmSync(at('words'));
  return words;
}

const EXPECTED = ['/opt/the app', '--previous-versions', '/home/anna/a file'];

describe.skipIf(process.platform !== 'linux' || !pythonHas('json'))('the menus of file managers', () => {
  test('start the program with the path, whatever its name', () => {
    setFileManagers({ command: recorder(), label: LABEL }, environment);

    // Nautilus and Caja: a script, which gets the path in a variable.
    for (const [script, variable] of [
      [at('data/nautilus/scripts', LABEL), 'NAUTILUS_SCRIPT_SELECTED_FILE_PATHS'],
      [at('config/caja/scripts', LABEL), 'CAJA_SCRIPT_SELECTED_FILE_PATHS'],
    ] as const) {
      execFileSync(script, { env: { ...process.env, [variable]: '/home/anna/a file\n/home/anna/another\n' } });
      expect(recorded()).toEqual(EXPECTED);
      mkdirSync(at('open folder'), { recursive: true });
      execFileSync(script, { cwd: at('open folder'), env: { ...process.env, [variable]: '' } });
      expect(recorded().at(-1)).toBe(at('open folder'));
    }

    // Dolphin, Nemo and Thunar: a command line in a file, read here as the specifications say, by another language.
    const read = String.raw`
import re, subprocess, sys
import xml.etree.ElementTree as xml
text = open(sys.argv[1], encoding='utf-8').read()
if sys.argv[1].endswith('.xml'):
    action = [a for a in xml.fromstring(text.encode()) if a.findtext('unique-id') == 'holdfast-previous-versions'][0]
    name, line = action.findtext('name'), action.findtext('command')
else:
    name = re.search('^Name=(.*)$', text, re.M).group(1)
    line = re.search('^Exec=(.*)$', text, re.M).group(1).replace('\\\\', '\\')
words = subprocess.run(['sh', '-c', 'printf "%s\\0" ' + line], stdout=subprocess.PIPE, check=True, text=True).stdout.split('\0')[:-1]
words = [sys.argv[2] if w in ('%f', '%F') else w.replace('%%', '%') for w in words]
subprocess.run(words, check=True)
print(name)
`;
    for (const file of [
      at('data/kio/servicemenus/holdfast.desktop'),
      at('data/nemo/actions/holdfast.nemo_action'),
      at('config/Thunar/uca.xml'),
    ]) {
      const name = execFileSync(PYTHON, ['-c', read, file, '/home/anna/a file'], { encoding: 'utf8' });
      expect(name).toBe(`${LABEL}\n`);
      expect(recorded()).toEqual(EXPECTED);
    }
    // KDE ignores one that cannot be executed.
    expect(statSync(at('data/kio/servicemenus/holdfast.desktop')).mode & 0o111).toBe(0o111);

    // nautilus-python: an extension, run here with a stand-in for Nautilus.
    const extension = at('data/nautilus-python/extensions/holdfast_previous_versions.py');
    const nautilus = String.raw`
import sys, types, runpy, subprocess
class Item:
    def __init__(self, name, label): self.label = label
    def connect(self, signal, call): self.call = call
class File:
    def __init__(self, path): self.path = path
    def get_location(self): return self
    def get_path(self): return self.path
gi = types.ModuleType('gi'); gi.repository = types.ModuleType('gi.repository')
gi.repository.GObject = types.SimpleNamespace(GObject=type('GObject', (), {}))
gi.repository.Nautilus = types.SimpleNamespace(MenuProvider=type('MenuProvider', (), {}), MenuItem=Item)
sys.modules.update({'gi': gi, 'gi.repository': gi.repository})
made = []
popen = subprocess.Popen
subprocess.Popen = lambda *a, **k: made.append(popen(*a, **k))
provider = runpy.run_path(sys.argv[1])['HoldfastPreviousVersions']()
assert provider.get_file_items([File('/a'), File('/b')]) == []
assert provider.get_file_items([File(None)]) == []
for arguments in ([[File(sys.argv[2])]], [None, [File(sys.argv[2])]]):
    item, = provider.get_file_items(*arguments)
    item.call(item)
for process in made: process.wait()
print(item.label)
`;
    const label = execFileSync(PYTHON, ['-c', nautilus, extension, '/home/anna/a file'], { encoding: 'utf8' });
    expect(label).toBe(`${LABEL}\n`);
    expect(recorded()).toEqual(EXPECTED);
  });

  test('are removed with the preference, and nothing else is', () => {
    const own = [at('data/nautilus/scripts/my script'), at('data/kio/servicemenus/mine.desktop')];
    for (const file of own) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, 'mine');
    }
    setFileManagers({ command: ['/usr/bin/holdfast'], label: 'Restore previous versions…' }, environment);
    expect(filesBelow(folder).length).toBe(own.length + 6);
    // Another language: the names of scripts are their labels.
    setFileManagers({ command: ['/usr/bin/holdfast'], label: 'Frühere Versionen …' }, environment);
    expect(filesBelow(folder).length).toBe(own.length + 6);
    expect(existsSync(at('data/nautilus/scripts/Restore previous versions…'))).toBe(false);
    setFileManagers(undefined, environment);
    expect(filesBelow(folder).toSorted()).toEqual([...own, at('config/Thunar/uca.xml')].toSorted());
    expect(readFileSync(at('config/Thunar/uca.xml'), 'utf8')).not.toContain('holdfast');
  });

  test('keep the actions that Thunar has, of the person or else of the system', () => {
    const terminal = '<action>\n\t<name>Open Terminal Here</name>\n\t<unique-id>1-1</unique-id>\n</action>\n';
    const all = `<?xml version="1.0" encoding="UTF-8"?>\n<actions>\n${terminal}</actions>\n`;
    mkdirSync(at('system/Thunar'), { recursive: true });
    writeFileSync(at('system/Thunar/uca.xml'), all);
    const item = { command: ['/usr/bin/holdfast'], label: LABEL };
    setFileManagers(item, environment);
    const file = at('config/Thunar/uca.xml');
    expect(readFileSync(file, 'utf8')).toContain(terminal);
    setFileManagers({ ...item, label: 'Another' }, environment);
    expect(readFileSync(file, 'utf8').match(/<action>/g)?.length).toBe(2);
    setFileManagers(undefined, environment);
    expect(readFileSync(file, 'utf8')).toBe(all);

    // Behind a link, as in a folder of dotfiles.
    writeFileSync(at('dotfile'), all.replace('Terminal', 'Console'));
    rmSync(file);
    symlinkSync(at('dotfile'), file);
    setFileManagers(item, environment);
    expect(readlinkSync(file)).toBe(at('dotfile'));
    expect(readFileSync(at('dotfile'), 'utf8')).toMatch(/Console[^]*holdfast-previous-versions/);
  });

  test('leave a file alone that is no list of actions, or that cannot be read', () => {
    const file = at('config/Thunar/uca.xml');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, 'damaged');
    const item = { command: ['/usr/bin/holdfast'], label: LABEL };
    setFileManagers(item, environment);
    expect(readFileSync(file, 'utf8')).toBe('damaged');
    rmSync(file);
    mkdirSync(file);
    setFileManagers(item, environment);
    expect(lstatSync(file).isDirectory()).toBe(true);
    expect(existsSync(at('data/kio/servicemenus/holdfast.desktop'))).toBe(true);
  });

  test('are written once for each change, not with every state', () => {
    const menus = new FileManagerMenus();
    const item = { command: ['/usr/bin/holdfast'], label: LABEL };
    menus.update(item, environment);
    rmSync(at('data'), { recursive: true });
    menus.update({ ...item }, environment);
    expect(existsSync(at('data'))).toBe(false);
    menus.update(undefined, environment);
    menus.update(item, environment);
    expect(existsSync(at('data'))).toBe(true);
  });
});

describe('a command line of a file manager', () => {
  test.each([
    [['holdfast', '--previous-versions', '/home/anna/a file'], '/home/anna/a file'],
    [['holdfast', '--previous-versions', '/home/anna/folder/'], '/home/anna/folder'],
    [['holdfast', '--previous-versions', '/'], '/'],
    [['holdfast', '--previous-versions', '/home/anna/../bob'], '/home/bob'],
    [['holdfast', '--previous-versions', 'relative'], undefined],
    [['holdfast', '--previous-versions'], undefined],
    [['holdfast', '/home/anna'], undefined],
    [['holdfast', '--previous-versions', `/${'x'.repeat(5000)}`], undefined],
  ])('%j asks for %s', (words, path) => {
    expect(requestedPath(words)).toBe(path);
  });
});
