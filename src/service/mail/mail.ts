/** A message in plain text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Hands messages to a mail server. */
export interface MailTransport {
  /** Resolves when the server has accepted the message. Rejects with the server's error. */
  send(mail: Mail): Promise<void>;
  /** Connects and signs in. Rejects with the server's error. */
  verify(): Promise<void>;
  /** Does as much as `send`, but for handing the message over. Rejects with the server's error. */
  pretend(mail: Mail): Promise<void>;
  close(): void;
}
