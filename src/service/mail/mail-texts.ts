/** Languages in which a service writes mail. */
export const MAIL_LANGUAGES = ['en', 'de'] as const;
export type MailLanguage = (typeof MAIL_LANGUAGES)[number];

export interface MailContent {
  readonly subject: string;
  readonly text: string;
}

/**
 * The messages that a service sends. Times are texts. Names of devices and sets are whatever a computer has sent; here they are one line
 * without control characters, and not longer than a name.
 */
export interface MailTexts {
  readonly reset: (link: string, minutes: number) => MailContent;
  readonly invitation: (link: string, until: string) => MailContent;
  readonly offline: (device: string, lastSeen: string, portal: string) => MailContent;
  readonly alarm: (device: string, set: string, portal: string) => MailContent;
  readonly erasure: (due: string, portal: string) => MailContent;
  /** Added to the last message of a kind for an hour. */
  readonly lastOfHour: string;
}

/** Characters of a name that a message shows. */
const LONGEST_NAME = 80;

/** Returns a name without line breaks, other control characters and changes of the writing direction. */
function shown(name: string): string {
  const line = name
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu, ' ')
    .trim();
  const characters = Array.from(line);
  return characters.length <= LONGEST_NAME ? line : `${characters.slice(0, LONGEST_NAME - 1).join('')}…`;
}

const en: MailTexts = {
  reset: (link, minutes) => ({
    subject: 'Choose a new password for Holdfast',
    text: `Someone requested a new password for this e-mail address. To choose one, open this link within ${minutes} minutes:

${link}

Afterwards you are asked for a code of your second factor. If you did not request this, ignore this message: your password stays the same.
`,
  }),
  invitation: (link, until) => ({
    subject: 'Invitation to Holdfast',
    text: `You are invited to back up with Holdfast. To join, open this link until ${until}:

${link}

The link works once, for anyone who has it. Do not share it.
`,
  }),
  offline: (device, lastSeen, portal) => ({
    subject: `${shown(device)} has not been seen recently`,
    text: `The device ${shown(device)} was last seen on ${lastSeen}, and is not being backed up.

${portal}
`,
  }),
  alarm: (device, set, portal) => ({
    subject: `A backup of ${shown(device)} shows signs of ransomware`,
    text: `In the newest backup of ${shown(set)} on ${shown(device)}, files appear to have been encrypted or destroyed. Earlier restore points are kept until someone allows their removal again.

Check the computer first, then the portal:

${portal}
`,
  }),
  erasure: (due, portal) => ({
    subject: 'Data will be erased',
    text: `Someone requested that backups of your account be erased permanently on ${due}. Until then, you can cancel this under "Security":

${portal}
`,
  }),
  lastOfHour: 'This is the last message of this kind for this hour. Further events are shown in the portal.',
};

const de: MailTexts = {
  reset: (link, minutes) => ({
    subject: 'Neues Passwort für Holdfast',
    text: `Für diese E-Mail-Adresse wurde ein neues Passwort angefordert. Um es festzulegen, öffne innerhalb von ${minutes} Minuten diesen Link:

${link}

Danach wirst du nach einem Code deines zweiten Faktors gefragt. Wenn du das nicht angefordert hast, ignoriere diese Nachricht: Dein Passwort bleibt unverändert.
`,
  }),
  invitation: (link, until) => ({
    subject: 'Einladung zu Holdfast',
    text: `Du bist eingeladen, mit Holdfast zu sichern. Um beizutreten, öffne bis ${until} diesen Link:

${link}

Der Link gilt einmal, für jeden, der ihn hat. Gib ihn nicht weiter.
`,
  }),
  offline: (device, lastSeen, portal) => ({
    subject: `${shown(device)} war länger nicht erreichbar`,
    text: `Das Gerät ${shown(device)} hat sich zuletzt am ${lastSeen} gemeldet und wird nicht gesichert.

${portal}
`,
  }),
  alarm: (device, set, portal) => ({
    subject: `Eine Sicherung von ${shown(device)} zeigt Anzeichen von Ransomware`,
    text: `In der neuesten Sicherung von ${shown(set)} auf ${shown(device)} wurden anscheinend Dateien verschlüsselt oder zerstört. Frühere Wiederherstellungspunkte bleiben erhalten, bis jemand ihre Entfernung wieder erlaubt.

Prüfe zuerst den Computer, dann das Portal:

${portal}
`,
  }),
  erasure: (due, portal) => ({
    subject: 'Daten werden gelöscht',
    text: `Für dein Konto wurde angefordert, Sicherungen am ${due} endgültig zu löschen. Bis dahin kannst du das unter „Sicherheit“ abbrechen:

${portal}
`,
  }),
  lastOfHour: 'Das ist für diese Stunde die letzte Nachricht dieser Art. Weitere Ereignisse stehen im Portal.',
};

export const MAIL_TEXTS: Readonly<Record<MailLanguage, MailTexts>> = { en, de };
