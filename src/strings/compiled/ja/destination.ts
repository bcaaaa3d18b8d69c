// Compiled from the catalogues by `npm run texts`. Do not edit.
import type { destination as source } from '../en/destination.ts';
import { messagesOf } from '../../messages.ts';

const m = messagesOf('ja');

export const destination = (): typeof source => ({
  title: '別の保存先',
  done: '今後のバックアップはここに保存されます。',
  add: {
    open: '保存先を追加…',
    hint: 'バックアップは両方に保存されます。リカバリーフレーズは変わりません。初回のバックアップではすべてを送信します。',
    title: 'この保存先にもバックアップしますか？',
    others: 'ほかのバックアップはこれまでどおり続きます。',
    phrase: 'リカバリーフレーズはすべてのバックアップに共通です。',
    sends: 'ここへの初回のバックアップではすべてを送信します。',
    sendsBytes: (bytes) => `ここへの初回のバックアップではすべて（約${m.text(bytes)}）を送信します。`,
    confirm: '保存先を追加',
    added: (name) => `今後は「${m.text(name)}」にもバックアップされます。`,
    continued: (name) => `今後は「${m.text(name)}」にもバックアップされ、そこにある以前のバックアップの続きになります。`,
  },
  move: {
    open: '移動したバックアップを指定…',
    hint: 'ディスクのパス、またはサーバーやサービスのアドレス、パスワード、鍵が変わった場合。',
    title: 'バックアップは今どこにありますか？',
    intro: (location) => `これまでは${m.text(location)}にありました。まず新しい保存先でバックアップを探します。`,
    kinds: {
      folder: 'バックアップが今あるフォルダーを選んでください。',
      service: 'サービスの現在のアドレスを入力してください。',
      bucket: 'バケットの現在のアドレスとキーを入力してください。',
      sftp: 'SSHサーバーの現在のアドレスを入力してください。',
      webdav: 'WebDAVサーバーの現在のアドレスを入力してください。',
      rclone: 'rcloneの現在のリモートを入力してください。',
    },
    look: 'バックアップを探す',
  },
  begin: {
    open: '保存先を変更…',
    hint: 'バックアップセット、設定、リカバリーフレーズはそのままです。次回のバックアップで、すべてを新しい保存先に保存します。',
    title: 'ここで新しいバックアップを始めますか？',
    stays: (location) => `${m.text(location)}のバックアップはそのまま残り、後で元に戻せます。`,
    keeps: 'バックアップセット、設定、リカバリーフレーズは変わりません。',
    brings: '次回のバックアップで、すべてをここに保存します。',
    bringsBytes: (bytes) => `次回のバックアップで、すべて（約${m.text(bytes)}）をここに保存します。`,
    littleFree: (free) => `空き容量は${m.text(free)}だけです。すべてのファイルには足りない可能性があります。`,
    begin: 'ここで開始',
  },
  former: {
    title: '以前の保存先',
    text: 'これらのバックアップはまだ残っています。元に戻すと、続きから使えます。',
    until: (when) => `${m.text(when)}まで`,
    again: '元に戻す',
    againLabel: (location) => `${m.text(location)}に戻す`,
    confirmTitle: 'この保存先に戻しますか？',
    confirmText: (location) => `バックアップの保存先が再び${m.text(location)}になります。現在のバックアップはそのまま残ります。まず、以前のバックアップがまだあることを確かめます。`,
    replaced: '置き換える保存先',
    confirmSeveral: (location, name) => `バックアップの保存先が「${m.text(name)}」から${m.text(location)}に変わります。「${m.text(name)}」のバックアップはそのまま残ります。まず、以前のバックアップがまだあることを確かめます。`,
  },
});
