// Compiled from the catalogues by `npm run texts`. Do not edit.
import type { devices as source } from '../en/devices.ts';
import { messagesOf } from '../../messages.ts';

const m = messagesOf('ja');

export const devices = (): typeof source => ({
  intro: '同じ保存先にバックアップしているコンピューター。',
  destination: '保存先',
  thisOne: 'このコンピューター',
  others: 'ほかのコンピューター',
  statuses: {
    healthy: '最新',
    new: 'バックアップなし',
    warning: '要確認',
    offline: 'しばらく接続なし',
    alarm: 'ランサムウェアの兆候',
    revoked: '無効',
  },
  lastBackup: '前回のバックアップ',
  lastSeen: '最終接続',
  never: 'なし',
  noOthers: 'ここにバックアップしているコンピューターはほかにありません',
  noOthersService: '別のコンピューターで同じサービスにサインインすると、ここに表示されます。',
  noOthersFolder: 'バックアップの保存先は、サービスではなくフォルダーまたはバケットです。同じ保存先を同じリカバリーフレーズで使うコンピューターがここに表示されます。',
  removeHint: 'コンピューターを削除すると、バックアップの鍵が変わります。ほかのコンピューターは新しい鍵を自動的に受け取ります。',
  remove: '削除して鍵を変更…',
  removeOf: (name) => `${m.text(name)}を削除して鍵を変更`,
  removeTitle: (name) => `「${m.text(name)}」を削除して鍵を変更しますか？`,
  removeBody: 'そのコンピューターは今後の新しいバックアップを開けなくなり、書き込んだものは無視されます。以前のバックアップはまだ開けます。その復元ポイントは残り、ここから復元できます。',
  removePhrase: 'リカバリーフレーズが新しくなります。書き留めてください。古いフレーズで開けるのは以前のバックアップだけです。',
  removeDo: '削除して鍵を変更',
  revoke: '無効化…',
  revokeOf: (name) => `${m.text(name)}を無効化`,
  revokeTitle: (name) => `「${m.text(name)}」を無効化しますか？`,
  revokeBody: 'そのコンピューターはバックアップも復元もできなくなります。その復元ポイントは残り、ここから復元できます。元に戻せません。再び使うには、設定し直す必要があります。',
  revokeDo: '無効化',
  signIn: '本人確認のためサインインしてください。パスワードは保存されません。',
  renewTitle: 'バックアップの鍵も変更しますか？',
  renewBody: (name) => `「${m.text(name)}」はサービスを利用できなくなりましたが、鍵はまだ持っています。別の方法でバックアップを手に入れた人は、今後のバックアップもその鍵で開けられます。新しい鍵にすると防げます。`,
  renewDo: '鍵を変更',
  revoked: (name) => `「${m.text(name)}」を無効化しました。`,
});
