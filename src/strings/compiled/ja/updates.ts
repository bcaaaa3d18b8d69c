// Compiled from the catalogues by `npm run texts`. Do not edit.
import type { updates as source } from '../en/updates.ts';
import { messagesOf } from '../../messages.ts';

const m = messagesOf('ja');

export const updates = (): typeof source => ({
  title: 'アップデート',
  look: 'アップデートを確認',
  lookHint: '1日1回。アップデートは、バックアップ、復元、検証の実行中でないときにインストールされます。',
  none: 'このビルドのHoldfastはアップデートを確認しません。',
  packageManager: 'アップデートはシステムのパッケージマネージャーから提供されます。',
  byAdministrator: '管理者がアップデートをオフにしています。',
  notChecked: 'Holdfastは起動してからまだアップデートを確認していません。',
  current: (when) => `新しいバージョンはありませんでした。最終確認：${m.text(when)}`,
  checking: 'アップデートを確認中…',
  offered: (version) => `バージョン${m.text(version)}があります。このバージョンの入手元からダウンロードしてください。`,
  systemTooOld: (version) => `バージョン${m.text(version)}がありますが、このコンピューターのオペレーティングシステムをより新しいバージョンにする必要があります。`,
  downloading: (version, percent) => `バージョン${m.text(version)}をダウンロード中：${m.text(percent)}`,
  ready: (version) => `バージョン${m.text(version)}をインストールできます。`,
  replaced: '新しいバージョンがインストールされました。使用するには、Holdfastを再起動してください。',
  afterRun: '現在の実行が終わると可能になります。',
  problems: {
    network: 'アップデートサーバーに接続できません。Holdfastは後でもう一度試します。',
    signature: 'アップデートサーバーのアップデートには、Holdfastの開発者の署名がありません。アップデートは拒否されました。',
    metadata: 'アップデートサーバーのアップデートを、このバージョンでは読み取れません。アップデートは拒否されました。',
    damaged: 'ダウンロードしたアップデートが破損していました。アップデートは拒否されました。',
    install: 'アップデートをインストールできませんでした。Holdfastはこのバージョンで動作を続けます。',
  },
  check: '今すぐ確認',
  install: 'インストールして再起動',
  restart: 'Holdfastを再起動',
  news: '新機能…',
  newsTitle: '新機能',
  newsOf: (version) => `バージョン${m.text(version)}`,
});
