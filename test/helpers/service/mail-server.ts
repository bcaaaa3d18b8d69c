import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A message as the server received it. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and body, decoded if it was quoted-printable. */
  readonly text: string;
}

export interface MailServer {
  /** `smtp://…`, for the configuration. */
  readonly url: string;
  readonly received: readonly ReceivedMail[];
  /** Connections so far. */
  connections: number;
  /** Resolves with the next message that arrives, or one that has arrived and was not returned before. */
  next(): Promise<ReceivedMail>;
  /** Refuses messages with 451 until it is set to false. */
  isBusy: boolean;
}

/** Starts a mail server on this computer (RFC 5321, without TLS) that keeps what it receives. It knows nobody whose address begins with `nobody`, and no password `wrong`. */
export async function startMailServer(host = '127.0.0.1'): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const waiting: ((mail: ReceivedMail) => void)[] = [];
  let returned = 0;
  const server: { -readonly [Name in keyof MailServer]: MailServer[Name] } = {
    url: '',
    received,
    connections: 0,
    isBusy: false,
    next: () => {
      const mail = received[returned];
      returned += 1;
      return mail ? Promise.resolve(mail) : new Promise((resolve) => waiting.push(resolve));
    },
  };
  const sockets = new Set<Socket>();
  const listener = createServer((socket) => {
    sockets.add(socket);
    server.connections += 1;
    socket.on('error', () => undefined);
    serve(
      socket,
      () => server.isBusy,
      (mail) => {
        received.push(mail);
        waiting.shift()?.(mail);
      },
    );
  });
  await new Promise<void>((resolve) => listener.listen(0, host, resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => listener.close(resolve));
  });
  server.url = `smtp://${host}:${(listener.address() as AddressInfo).port}`;
  return server;
}

function serve(socket: Socket, isBusy: () => boolean, keep: (mail: ReceivedMail) => void): void {
  let pending = '';
  let body: string[] | undefined;
  let envelope = { from: '', to: [] as string[] };
  const answer = (line: string) => void socket.write(`${line}\r\n`);
  const command = (line: string): void => {
    if (body) {
      if (line !== '.') return void body.push(line.replace(/^\.\./, '.'));
      keep({ ...envelope, text: decoded(body.join('\n')) });
      envelope = { from: '', to: [] };
      body = undefined;
      return answer('250 kept');
    }
    const address = /<(.*)>/.exec(line)?.[1] ?? '';
    if (/^STARTTLS/i.test(line)) return answer('502 no TLS here');
    if (/^EHLO/i.test(line)) return answer('250-mail.test\r\n250 AUTH PLAIN');
    if (/^HELO/i.test(line)) return answer('250 mail.test');
    if (/^AUTH PLAIN/i.test(line)) return answer(isRight(line) ? '235 welcome' : '535 wrong password');
    if (/^MAIL/i.test(line)) {
      if (isBusy()) return answer('451 busy');
      envelope.from = address;
      return answer('250 ok');
    }
    if (/^RCPT/i.test(line)) {
      if (address.startsWith('nobody')) return answer('550 no such user');
      envelope.to.push(address);
      return answer('250 ok');
    }
    if (/^DATA/i.test(line)) {
      body = [];
      return answer('354 go on');
    }
    if (/^QUIT/i.test(line)) return void socket.end('221 bye\r\n');
    return answer('250 ok');
  };
  answer('220 mail.test');
  socket.on('data', (bytes) => {
    pending += bytes.toString('utf8');
    for (let end = pending.indexOf('\r\n'); end >= 0; end = pending.indexOf('\r\n')) {
      const line = pending.slice(0, end);
      pending = pending.slice(end + 2);
      command(line);
    }
  });
}

/** Every password is right but `wrong` (RFC 4616). */
function isRight(line: string): boolean {
  const [, , credentials = ''] = line.split(' ');
  return !Buffer.from(credentials, 'base64').toString('utf8').endsWith('\0wrong');
}

function decoded(message: string): string {
  if (/content-transfer-encoding: base64/i.test(message)) {
    const [head, body = ''] = message.split(/\n\n(.*)/s) as [string, string?];
    return `${head}\n\n${Buffer.from(body, 'base64').toString('utf8')}`;
  }
  if (!/quoted-printable/i.test(message)) return message;
  const unfolded = message.replaceAll('=\n', '');
  const bytes = unfolded.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
