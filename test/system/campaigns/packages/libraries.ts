import type { Computer } from './computer.ts';

/** Of the C library and its compiler, which every system has. */
const OF_EVERY_SYSTEM = /^(?:ld-linux.*|lib(?:c|m|dl|rt|pthread|gcc_s)\.so\.\d)$/;

/** Prints what readelf says of every program and library. */
const readAll = (option: string): string =>
  `find /opt/Holdfast -type f -exec sh -c 'for file; do readelf -W ${option} "$file" 2>/dev/null; done' sh {} +`;
const LIST_NEEDED = `${readAll('-d')} | sed -n 's/.*(NEEDED).*\\[\\(.*\\)\\]/\\1/p' | sort -u`;
/** The newest version of the symbols of a library. */
const newest = (symbols: string): string => `${readAll('-V')} | grep -o '${symbols}_[0-9.]*' | sort -Vu | tail -1`;

/**
 * Compares the libraries that the installed programs load with those that the package says it needs.
 *
 * @returns their number @throws Error with those that nothing brings
 */
export async function checkLibraries(computer: Computer, kind: 'deb' | 'rpm'): Promise<number> {
  const own = new Set((await computer.one(`find /opt/Holdfast -type f -printf '%f\\n'`)).split('\n'));
  const needed = (await computer.one(LIST_NEEDED))
    .split('\n')
    .filter((library) => !own.has(library) && !OF_EVERY_SYSTEM.test(library));
  if (needed.length === 0) throw new Error('readelf found no libraries');
  const glibc = (await computer.one(newest('GLIBC'))).replace('GLIBC_', '');
  const isBrought = kind === 'deb' ? await broughtByDebian(computer, glibc) : await broughtByRpm(computer, glibc);
  const missing: string[] = [];
  for (const library of needed) if (!(await isBrought(library))) missing.push(library);
  if (missing.length > 0) throw new Error(`the ${kind} does not require ${missing.join(', ')}`);
  return needed.length;
}

type IsBrought = (library: string) => Promise<boolean>;

/** By the packages that the package needs, and those that they need. */
async function broughtByDebian(computer: Computer, glibc: string): Promise<IsBrought> {
  const depends = await computer.one(`dpkg-query -W -f '\${Depends}' holdfast-app; echo`);
  if (!depends.includes(`libc6 (>= ${glibc})`))
    throw new Error(`the deb requires another libc6 than ${glibc}: ${depends}`);
  const only = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'].map((kind) => `--no-${kind}`);
  const names = await computer.one(
    `apt-cache depends --recurse --installed ${only.join(' ')} holdfast-app | grep '^\\w'`,
  );
  const packages = new Set(names.split('\n').map((name) => name.split(':')[0]));
  return async (library) => {
    const file = await computer.one(`ldconfig -p | sed -n 's/^\\s*${library} .*x86-64.* => //p' | head -1`);
    // By its name alone: dpkg knows /lib of systems where that is /usr/lib.
    const owners = await computer.one(`dpkg -S "*/$(basename "$(readlink -f ${file})")" | cut -d: -f1`);
    return owners.split('\n').some((owner) => packages.has(owner));
  };
}

/** Systems with rpm name the package of a library differently, but all of them say which libraries it provides. */
async function broughtByRpm(computer: Computer, glibc: string): Promise<IsBrought> {
  const required = new Set((await computer.one('rpm -q --requires holdfast-app')).split('\n'));
  const compiler = await computer.one(newest('GLIBCXX'));
  for (const versioned of [`libc.so.6(GLIBC_${glibc})(64bit)`, `libstdc++.so.6(${compiler})(64bit)`]) {
    if (!required.has(versioned)) throw new Error(`the rpm does not require ${versioned}`);
  }
  return async (library) => library === 'libstdc++.so.6' || required.has(`${library}()(64bit)`);
}
