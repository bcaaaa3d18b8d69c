// Compiled from the catalogues by `npm run texts`. Do not edit.
import type { common as source } from '../en/common.ts';
import { messagesOf } from '../../messages.ts';

const m = messagesOf('ja');

export const common = (): typeof source => ({
  product: 'Holdfast',
  views: {
    home: 'ホーム',
    sets: 'セット',
    restore: '復元',
    activity: '履歴',
    devices: 'デバイス',
    settings: '設定',
  },
  health: {
    'not-set-up': '未設定',
    'at-risk': '危険あり',
    attention: '要確認',
    running: '実行中',
    waiting: '待機中',
    paused: '一時停止中',
    protected: '保護済み',
  },
  title: (view) => `${m.text(view)} – Holdfast`,
  skip: '本文へ移動',
  sections: 'セクション',
  of: (what, name) => `${m.text(what)}：${m.text(name)}`,
  quoted: (text) => `「${m.text(text)}」`,
  said: (what, how) => `${m.text(what)}：${m.text(how)}。`,
  withControl: (isMac, key) => (isMac ? `⌘${m.text(key)}` : `Ctrl+${m.text(key)}`),
  messages: 'お知らせ',
  invalid: {
    missing: '入力してください。',
    email: 'anna@example.orgのようなメールアドレスを入力してください。',
    url: 'https://example.orgのように、https://で始まるアドレスを入力してください。',
    short: (characters) => `${m.text(characters)}文字以上にしてください。`,
    other: '入力内容を確認してください。',
  },
  cancel: 'キャンセル',
  close: '閉じる',
  save: '保存',
  back: '戻る',
  next: '次へ',
  retry: '再試行',
  loading: 'お待ちください…',
  backUpNow: '今すぐバックアップ',
  stop: '停止',
  remove: '削除',
  more: 'その他',
});
