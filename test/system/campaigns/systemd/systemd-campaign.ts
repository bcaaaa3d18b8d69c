import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildPackages } from '../../../../scripts/package-cli/build.ts';
import { targetOf } from '../../../../scripts/package-cli/target.ts';
import { VERSION } from '../../../../src/base/version.ts';
import { BootedRoot } from './booted-root.ts';

const CHECKOUT = dirname(dirname(dirname(dirname(import.meta.dirname))));
const OUTSIDE = '/srv/outside';

/** A name that a unit has to escape. */
const SET = 'my docs';
const UNIT = String.raw`holdfast-backup@my\x20docs`;
const CONFIG = '/etc/holdfast/service.json';

/** In the words of the shell of somebody who is signed in (`su -`), or is not: a job of cron, sudo. */
const SIGNED_IN = (name: string, script: string): string => `su - ${name} -c ${quoted(script)}`;
const AS = (name: string, script: string): string => `runuser -u ${name} -- sh -c ${quoted(`cd && ${script}`)}`;
const PEOPLE = ['anna', 'ben'] as const;

/** Asks the systemd of a person. */
const OF = (name: string, words: string): string =>
  `runuser -u ${name} -- env XDG_RUNTIME_DIR=/run/user/$(id -u ${name}) systemctl --user ${words}`;
const POINTS = `holdfast points ${quoted(SET)} --json | grep -o '"[0-9TZ:.-]*Z"' | sort -u | wc -l`;
const UNTIL = (condition: string): string => `until ${condition}; do sleep 0.2; done`;
const READY = UNTIL('curl -fs -o /dev/null http://127.0.0.1:8787/readyz');
const TIMERS_OFF = `{"sets":[{"name":"${SET}","on":false}],"without_login":true}`;
const TIMERS_ON = `{"sets":[{"name":"${SET}","on":true}],"without_login":true}`;

type Step = readonly [step: string, commands: readonly string[]];

/**
 * Runs the timers of people and the service under a real systemd, in a copy of this computer that is booted, shut down and booted again.
 *
 * @throws Error with the command that failed, and its output
 */
export async function runSystemdCampaign(onStep: (step: string) => void): Promise<void> {
  const outside = mkdtempSync(join(tmpdir(), 'holdfast-systemd-'));
  try {
    const epoch = Math.floor(Date.now() / 1000);
    const target = targetOf(process.arch);
    const sources = { root: CHECKOUT, modules: join(CHECKOUT, 'node_modules'), target, epoch, level: 0 };
    for (const version of [VERSION, '999.0.0']) buildPackages({ ...sources, version }, ['deb'], join(outside, version));
    writeFileSync(join(outside, 'password'), 'correct horse battery staple\n');
    spawnSync('chmod', ['-R', 'a+rX', outside]);
    await using computer = new BootedRoot(outside);
    const follow = async (steps: readonly Step[]): Promise<void> => {
      for (const [step, commands] of steps) {
        for (const command of commands) {
          const { status, output } = await computer.run(command);
          if (status === 0) continue;
          const { output: journal } = await computer.run('journalctl --no-pager --lines 40');
          throw new Error(`${step}: ${command}\nended with ${status}:\n${output}\n${journal}`);
        }
        onStep(step);
      }
    };
    await computer.boot();
    await follow(switchedOn());
    await computer.shutDown();
    await computer.boot();
    await follow([...afterBoot(), ...service(), ...removed()]);
  } finally {
    rmSync(outside, { recursive: true, force: true });
  }
}

function switchedOn(): readonly Step[] {
  const place = `.config/systemd/user/${UNIT}.timer.d`;
  return [
    [
      'dpkg installs, and starts nothing',
      [
        'for name in node npm npx; do rm -f "$(command -v $name)"; done',
        `dpkg -i ${OUTSIDE}/${VERSION}/*.deb`,
        '[ "$(systemctl is-active holdfast) $(systemctl is-enabled holdfast)" = "inactive disabled" ]',
      ],
    ],
    [
      'two people set up their backups',
      PEOPLE.flatMap((name) => [
        `useradd --create-home --shell /bin/sh ${name}`,
        AS(name, 'cp -r /usr/share/common-licenses documents && holdfast setup --destination ~/backups'),
        AS(name, `holdfast set add ${quoted(SET)} ~/documents`),
      ]),
    ],
    [
      'somebody who is signed in switches a timer on',
      [
        SIGNED_IN('anna', `holdfast timer status --json | grep -qF ${quoted(`"on":false}],"without_login":false`)}`),
        SIGNED_IN('anna', `holdfast timer on ${quoted(SET)}`),
        SIGNED_IN('anna', `[ "$(holdfast timer status --json)" = ${quoted(TIMERS_ON)} ]`),
      ],
    ],
    [
      'somebody who has never signed in does so by sudo',
      [
        '! [ -e /run/user/$(id -u ben) ]',
        AS('ben', `holdfast timer on ${quoted(SET)}`),
        AS('ben', `[ "$(holdfast timer status --json)" = ${quoted(TIMERS_ON)} ]`),
        // Another person's session is in the environment after su.
        `XDG_RUNTIME_DIR=/run/user/$(id -u anna) ${AS('ben', `[ "$(holdfast timer status --json)" = ${quoted(TIMERS_ON)} ]`)}`,
      ],
    ],
    [
      'nobody is signed in, and the systemds of both run',
      [
        UNTIL('[ -z "$(loginctl list-sessions --no-legend)" ]'),
        ...PEOPLE.map((name) => OF(name, `is-active ${quoted(`${UNIT}.timer`)}`)),
        ...PEOPLE.map((name) => AS(name, `[ "$(${POINTS})" = 0 ]`)),
      ],
    ],
    [
      'the computer is off for three hours',
      PEOPLE.flatMap((name) => [
        AS(name, `touch -d '3 hours ago' ${quoted(`.local/share/systemd/timers/stamp-${UNIT}.timer`)}`),
        // Up to ten minutes are not waited for.
        AS(
          name,
          `mkdir -p ${quoted(place)} && printf '[Timer]\\nRandomizedDelaySec=0\\n' >${quoted(`${place}/soon.conf`)}`,
        ),
      ]),
    ],
  ];
}

function afterBoot(): readonly Step[] {
  return [
    [
      'what was missed is backed up after the start, without a login',
      [
        ...PEOPLE.map((name) => UNTIL(AS(name, `[ "$(${POINTS})" = 1 ]`))),
        '[ -z "$(loginctl list-sessions --no-legend)" ]',
        ...PEOPLE.map((name) => UNTIL(`[ "$(${OF(name, `is-active ${quoted(`${UNIT}.service`)}`)})" = inactive ]`)),
        ...PEOPLE.map((name) => `[ "$(${OF(name, `show -P Result ${quoted(`${UNIT}.service`)}`)})" = success ]`),
        ...PEOPLE.map((name) =>
          AS(name, `holdfast restore ${quoted(SET)} --to restored && diff -r documents restored/documents`),
        ),
        `journalctl --no-pager _UID=$(id -u anna) | grep -q 'Restore point'`,
      ],
    ],
    [
      'a backup that is stopped is no failure, and the next one continues it',
      [
        AS('anna', 'head -c 600000000 /dev/urandom >documents/film'),
        OF('anna', `start --no-block ${quoted(`${UNIT}.service`)}`),
        `run=$(${OF('anna', `show -P InvocationID ${quoted(`${UNIT}.service`)}`)}); ${UNTIL(`journalctl --no-pager _SYSTEMD_INVOCATION_ID=$run | grep -q 'Scanning:'`)}`,
        OF('anna', `stop ${quoted(`${UNIT}.service`)}`),
        `[ "$(${OF('anna', `show -P Result ${quoted(`${UNIT}.service`)}`)})" = success ]`,
        AS('anna', `[ "$(${POINTS})" = 1 ]`),
        OF('anna', `start ${quoted(`${UNIT}.service`)}`),
        AS('anna', `[ "$(${POINTS})" = 2 ] && holdfast check`),
      ],
    ],
  ];
}

function service(): readonly Step[] {
  return [
    [
      'the service starts by its unit, with nothing of the computer',
      [
        `sed -i 's#"publicUrl": "[^"]*"#"publicUrl": "http://127.0.0.1:8787"#' ${CONFIG}`,
        'systemctl enable --now holdfast',
        READY,
        'grep -q "^Seccomp:.2" /proc/$(systemctl show -P MainPID holdfast)/status',
        'grep -q "^CapBnd:.0*$" /proc/$(systemctl show -P MainPID holdfast)/status',
        '! nsenter --mount --target $(systemctl show -P MainPID holdfast) touch /etc/new /usr/new',
        '[ -z "$(nsenter --mount --target $(systemctl show -P MainPID holdfast) ls /home /root/ | grep -v :)" ]',
      ],
    ],
    [
      'a computer backs up to it',
      [
        `runuser -u holdfast -- holdfast-service account create --config ${CONFIG} --email anna@example.org --password-file ${OUTSIDE}/password >/tmp/account`,
        `grep -oE '\\b[A-Z2-7]{32}\\b' /tmp/account | head -n 1 >/tmp/secret && chmod a+r /tmp/secret`,
        AS(
          'anna',
          `export HOLDFAST_HOME=~/second && holdfast setup --server http://127.0.0.1:8787 --email anna@example.org --password-file ${OUTSIDE}/password --code $(oathtool --totp --base32 $(cat /tmp/secret)) && holdfast set add docs ~/documents && holdfast backup docs && rm -r restored && holdfast restore docs --to ~/restored && diff -r documents restored/documents`,
        ),
        `runuser -u holdfast -- holdfast-service check --config ${CONFIG}`,
      ],
    ],
    [
      'it starts again after it was killed',
      [
        'systemctl kill --signal=KILL holdfast',
        UNTIL('[ "$(systemctl show -P NRestarts holdfast)" = 1 ]'),
        READY,
        AS('anna', 'HOLDFAST_HOME=~/second holdfast backup docs'),
      ],
    ],
    [
      'an upgrade starts the new version, and leaves timers on',
      [
        'systemctl show -P MainPID holdfast >/tmp/before',
        `dpkg -i ${OUTSIDE}/999.0.0/*.deb </dev/null`,
        READY,
        '[ "$(systemctl show -P MainPID holdfast)" != "$(cat /tmp/before)" ]',
        AS('anna', 'HOLDFAST_HOME=~/second holdfast backup docs'),
        ...PEOPLE.map((name) => OF(name, `is-active ${quoted(`${UNIT}.timer`)}`)),
      ],
    ],
    [
      'it stops in order',
      [
        'systemctl stop holdfast',
        '[ "$(systemctl show -P Result holdfast)" = success ]',
        '[ "$(systemctl is-active holdfast)" = inactive ]',
        '[ -z "$(systemctl --failed --no-legend)" ]',
      ],
    ],
  ];
}

function removed(): readonly Step[] {
  const running = (name: string): string => `$(${OF(name, `list-units --no-legend 'holdfast*'`)})`;
  return [
    [
      'a timer is switched off',
      [
        AS('anna', `holdfast timer off ${quoted(SET)}`),
        AS('anna', `[ "$(holdfast timer status --json)" = ${quoted(TIMERS_OFF)} ]`),
        `[ -z "${running('anna')}" ]`,
        '! [ -e ~anna/.config/systemd/user/timers.target.wants/holdfast* ]',
      ],
    ],
    [
      'a removal ends the timers that are still on',
      [`[ -n "${running('ben')}" ]`, 'dpkg --remove holdfast-service holdfast-cli', `[ -z "${running('ben')}" ]`],
    ],
    [
      'a later installation starts them again',
      [`dpkg -i ${OUTSIDE}/999.0.0/*.deb </dev/null`, OF('ben', `is-active ${quoted(`${UNIT}.timer`)}`)],
    ],
    [
      'a purge leaves nothing but what belongs to people',
      [
        'dpkg --purge holdfast-service holdfast-cli',
        `[ -z "${running('ben')}" ]`,
        '[ -z "$(systemctl list-unit-files --no-legend "holdfast*")" ]',
        '[ "$(find /etc /opt /usr /run /var/lib -xdev -name "*holdfast*" ! -path /etc/holdfast-booted ! -path "/var/lib/containers/*" ! -path "/var/lib/systemd/*")" = "$(printf "%s\\n" /var/lib/holdfast; find /var/lib/holdfast -mindepth 1 -name "*holdfast*")" ]',
      ],
    ],
  ];
}

/** One word for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
