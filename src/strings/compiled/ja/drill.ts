// Compiled from the catalogues by `npm run texts`. Do not edit.
import type { drill as source } from '../en/drill.ts';
import { messagesOf } from '../../messages.ts';

const m = messagesOf('ja');

export const drill = (): typeof source => ({
  title: 'テスト復元',
  never: 'テスト復元はまだありません。',
  hint: '最新のファイルと無作為に選んだファイルを定期的に一時フォルダーへ復元し、比較してから削除します。',
  passed: (set, when) => `「${m.text(set)}」はテスト復元に合格しました：${m.text(when)}。`,
  failed: (set, when) => `「${m.text(set)}」はテスト復元に失敗しました：${m.text(when)}。`,
  facts: (files, bytes) => m.plural(files, { other: `${m.text(files)}個のファイル（${m.text(bytes)}）を復元して比較し、ビット単位で一致しました。` }),
  failures: (files) => m.plural(files, { other: `${m.text(files)}個のファイルを元どおりに復元できませんでした。` }),
  start: '今すぐテスト',
  startSet: (set) => `今すぐテスト：「${m.text(set)}」`,
  save: '証明書を保存…',
  details: '詳細を表示',
  certificate: {
    title: 'テスト復元の証明書',
    lead: 'Holdfastは下記のファイルをバックアップから一時フォルダーに復元し、全バイトを読み直しました。各ファイルは、バックアップの封印された一覧が証明する各部分のSHA-256と照合しました。',
    device: 'コンピューター',
    issued: '発行日時',
    version: 'Holdfast',
    set: (set) => `バックアップセット「${m.text(set)}」`,
    destination: '保存先',
    tested: 'テスト日時',
    point: '復元ポイント',
    size: '復元ポイントの内容',
    restored: '復元',
    sample: '選択',
    chosen: (newest, random) => `最新${m.text(newest)}、無作為${m.text(random)}`,
    compared: 'バックアップ時と同一',
    onDisk: 'このコンピューターのものと同一',
    filesOf: (files) => m.plural(files, { other: `${m.text(files)}個のファイル` }),
    sized: (files, bytes) => `${m.text(files)}、${m.text(bytes)}`,
    result: '結果',
    passed: '合格',
    failed: (files) => m.plural(files, { other: `失敗：${m.text(files)}個のファイル` }),
    digest: '一覧のSHA-256',
    list: 'ファイルとSHA-256',
    first: (files) => `最初の${m.text(files)}を示します。`,
    none: 'テスト復元は行われていません。',
    footer: '一覧のSHA-256は、比較したすべてのファイルについて「ハッシュ、空白2つ、パス」の行をこの順に並べたもののSHA-256です。',
  },
});
