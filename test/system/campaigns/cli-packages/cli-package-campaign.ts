import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildPackages } from '../../../../scripts/package-cli/build.ts';
import { targetOf } from '../../../../scripts/package-cli/target.ts';
import { VERSION } from '../../../../src/base/version.ts';
import { BareRoot } from '../self-hosting/bare-root.ts';

const CHECKOUT = dirname(dirname(dirname(dirname(import.meta.dirname))));
const OUTSIDE = '/srv/outside';

/** Lists everything that a package could leave in the system's folders, and the users and groups. */
const LIST = `(find /etc /opt /usr /var -xdev '(' -path /var/lib/dpkg -o -path /var/lib/rpm -o -path /var/tmp -o -path /var/log -o -path /var/cache -o -path '/etc/*-' ')' -prune -o -print; cut -d: -f1 /etc/passwd /etc/group) | sort`;

/** A person's first backup and restore, with a PATH without Node. */
const JOURNEY = `! command -v node && cd && cp -r /usr/share/common-licenses documents && holdfast setup --destination ~/backups >/dev/null &&
holdfast set add documents ~/documents && holdfast backup documents && holdfast restore documents --to ~/restored && diff -r documents restored/documents`;

const EXEC_START = /^ExecStart=(.*)$/m
  .exec(readFileSync(join(CHECKOUT, 'deploy/systemd/holdfast.service'), 'utf8'))![1]!
  .replace('/opt/holdfast/bin/', '/usr/bin/');

const READY = 'until curl -fs -o /dev/null http://127.0.0.1:8787/readyz; do sleep 0.1; done';

/** With a stand-in for systemctl that runs what the unit says. */
const START_SERVICE: readonly string[] = [
  `install -m 0755 ${OUTSIDE}/systemctl /usr/local/bin/systemctl`,
  'cp /usr/lib/systemd/system/holdfast.service /etc/systemd/system/',
  `[ "$(sed -n 's/^ExecStart=//p' /etc/systemd/system/holdfast.service)" = '${EXEC_START}' ]`,
  'systemctl start holdfast',
  READY,
];
const STOP_SERVICE = 'systemctl stop holdfast && rm /etc/systemd/system/holdfast.service /usr/local/bin/systemctl';

/** Each file with its mode, size and the target of a link, and the contents of all. */
const CONTENTS = `find . ! -type d -printf '%P %y %m %s %l\\n' | LC_ALL=C sort; find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum`;

/**
 * Installs, uses, upgrades and removes the packages of the CLI and of the service, in a copy of this computer.
 *
 * @throws Error with the command that failed, and its output
 */
export async function runCliPackageCampaign(onStep: (step: string) => void): Promise<void> {
  const outside = mkdtempSync(join(tmpdir(), 'holdfast-packages-'));
  try {
    const epoch = Math.floor(Date.now() / 1000);
    const target = targetOf(process.arch);
    const sources = { root: CHECKOUT, modules: join(CHECKOUT, 'node_modules'), target, epoch, level: 0 };
    for (const version of [VERSION, '999.0.0']) {
      const { left } = buildPackages({ ...sources, version }, ['deb', 'rpm'], join(outside, version));
      for (const reason of left) onStep(`not built: ${reason}`);
    }
    spawnSync('cp', [join(CHECKOUT, 'test/system/campaigns/self-hosting/systemctl'), join(outside, 'systemctl')]);
    spawnSync('chmod', ['-R', 'a+rX', outside]);
    await using root = BareRoot.start(outside);
    for (const [step, commands] of steps(left(outside))) {
      for (const command of commands) {
        const { status, output } = await root.run(command);
        if (status !== 0) throw new Error(`${step}: ${command}\nended with ${status}:\n${output}`);
      }
      onStep(step);
    }
  } finally {
    rmSync(outside, { recursive: true, force: true });
  }
}

type Step = readonly [step: string, commands: readonly string[]];

/** Whether an rpm was built. */
function left(outside: string): boolean {
  return spawnSync('sh', ['-c', `ls ${outside}/${VERSION}/*.rpm`]).status === 0;
}

function steps(hasRpm: boolean): readonly Step[] {
  return [
    [
      'a computer without Node',
      ['for name in node npm npx; do rm -f "$(command -v $name)"; done; ! command -v node', `${LIST} >/tmp/before`],
    ],
    [
      'dpkg installs',
      [`dpkg -i ${OUTSIDE}/${VERSION}/*.deb`, 'command -v holdfast-service', 'man -w holdfast-restore'],
    ],
    [
      'nothing was started, and only the service reads its configuration',
      [
        '! pgrep -f "holdfast service start"',
        '[ "$(stat -c "%U:%G %a" /etc/holdfast/service.json)" = "root:holdfast 640" ]',
        '[ "$(stat -c "%U:%G %a" /var/lib/holdfast)" = "holdfast:holdfast 700" ]',
      ],
    ],
    [
      'systemd knows the units',
      [
        '! systemd-analyze verify --man=no /usr/lib/systemd/system/holdfast.service 2>&1 | grep holdfast',
        '! systemd-analyze --user verify --man=no /usr/lib/systemd/user/holdfast-backup@.timer 2>&1 | grep holdfast',
      ],
    ],
    ['a person backs up and restores', ['useradd --create-home anna', `runuser -u anna -- sh -c '${JOURNEY}'`]],
    ['the service starts by its unit', START_SERVICE],
    [
      'an upgrade keeps what was configured',
      [
        `sed -i 's/"info"/"warn"/' /etc/holdfast/service.json`,
        `dpkg -i ${OUTSIDE}/999.0.0/*.deb </dev/null`,
        'grep -q warn /etc/holdfast/service.json',
        '[ "$(stat -c %a /etc/holdfast/service.json)" = 640 ]',
        'systemctl restart holdfast',
        READY,
        STOP_SERVICE,
      ],
    ],
    [
      'a purge leaves the backups with their owner',
      [
        'dpkg --purge holdfast-service holdfast-cli',
        '[ "$(stat -c %U /var/lib/holdfast)" = holdfast ] && [ -n "$(ls /var/lib/holdfast)" ]',
        'rm -r /var/lib/holdfast && userdel holdfast && userdel --remove anna 2>/dev/null',
        `${LIST} >/tmp/after && diff /tmp/before /tmp/after`,
      ],
    ],
    ...(hasRpm ? RPM_STEPS : []),
  ];
}

/** The same journey with rpm itself, without its dependencies, which have other names here. */
const RPM_STEPS: readonly Step[] = [
  [
    'rpm installs what the debs contain, owned by root',
    [
      `rpm -i --nodeps ${OUTSIDE}/${VERSION}/*.rpm`,
      'rpm -V --nodeps holdfast-cli holdfast-service',
      `mkdir /tmp/debs && for deb in ${OUTSIDE}/${VERSION}/*.deb; do dpkg-deb -x "$deb" /tmp/debs; done`,
      `(cd /tmp/debs/usr/lib/holdfast && ${CONTENTS}) >/tmp/debs.list && [ -s /tmp/debs.list ]`,
      `(cd /usr/lib/holdfast && ${CONTENTS}) | diff /tmp/debs.list -`,
      `rpm -ql holdfast-cli holdfast-service | xargs stat -c '%U:%G %a %n' | grep -v '^root:root \\(644\\|755\\|777\\) ' >/tmp/special`,
      `printf '%s\\n' 'root:holdfast 640 /etc/holdfast/service.json' 'holdfast:holdfast 700 /var/lib/holdfast' | diff - /tmp/special`,
      '! pgrep -f "holdfast service start"',
    ],
  ],
  ['a person backs up and restores with it', ['useradd --create-home anna', `runuser -u anna -- sh -c '${JOURNEY}'`]],
  ['its service starts by its unit', START_SERVICE],
  [
    'rpm upgrades, keeps what was configured, and refuses an older version',
    [
      `sed -i 's/"info"/"warn"/' /etc/holdfast/service.json`,
      `rpm -U --nodeps ${OUTSIDE}/999.0.0/*.rpm`,
      `[ "$(rpm -q --queryformat '%{VERSION}' holdfast-cli)" = 999.0.0 ] && rpm -V --nodeps holdfast-cli`,
      `! rpm -U --nodeps ${OUTSIDE}/${VERSION}/*.rpm`,
      `[ "$(rpm -q --queryformat '%{VERSION}' holdfast-cli)" = 999.0.0 ] && rpm -V --nodeps holdfast-cli`,
      'grep -q warn /etc/holdfast/service.json',
      '[ "$(stat -c "%U:%G %a" /etc/holdfast/service.json)" = "root:holdfast 640" ]',
      'systemctl restart holdfast',
      READY,
      STOP_SERVICE,
    ],
  ],
  [
    'rpm erases, and leaves the configuration and the backups',
    [
      'rpm -e holdfast-service holdfast-cli',
      'grep -q warn /etc/holdfast/service.json.rpmsave && rm -r /etc/holdfast',
      '[ "$(stat -c %U /var/lib/holdfast)" = holdfast ] && [ -n "$(ls /var/lib/holdfast)" ]',
      'rm -r /var/lib/holdfast && userdel holdfast && userdel --remove anna 2>/dev/null',
      `${LIST} >/tmp/after && diff /tmp/before /tmp/after`,
    ],
  ],
];
