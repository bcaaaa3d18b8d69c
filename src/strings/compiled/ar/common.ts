// Compiled from the catalogues by `npm run texts`. Do not edit.
import type { common as source } from '../en/common.ts';
import { messagesOf } from '../../messages.ts';

const m = messagesOf('ar');

export const common = (): typeof source => ({
  product: 'Holdfast',
  views: {
    home: 'الرئيسية',
    sets: 'الخطط',
    restore: 'الاستعادة',
    activity: 'النشاط',
    devices: 'الأجهزة',
    settings: 'الإعدادات',
  },
  health: {
    'not-set-up': 'غير مُعدّ',
    'at-risk': 'في خطر',
    attention: 'يحتاج إلى انتباه',
    running: 'قيد التنفيذ',
    waiting: 'في الانتظار',
    paused: 'متوقف مؤقتًا',
    protected: 'محمي',
  },
  title: (view) => `${m.text(view)} – Holdfast`,
  skip: 'الانتقال إلى المحتوى',
  sections: 'الأقسام',
  of: (what, name) => `${m.text(what)}: ${m.text(name)}`,
  quoted: (text) => `«${m.text(text)}»`,
  said: (what, how) => `${m.text(what)}: ${m.text(how)}.`,
  withControl: (isMac, key) => (isMac ? `⌘${m.text(key)}` : `Ctrl+${m.text(key)}`),
  messages: 'الرسائل',
  invalid: {
    missing: 'املأ هذا الحقل.',
    email: 'أدخل عنوان بريد إلكتروني مثل anna@example.org.',
    url: 'أدخل عنوانًا يبدأ بـ https://، مثل https://example.org.',
    short: (characters) => `استخدم ${m.text(characters)} من الأحرف على الأقل.`,
    other: 'تحقق مما أدخلته.',
  },
  cancel: 'إلغاء',
  close: 'إغلاق',
  save: 'حفظ',
  back: 'رجوع',
  next: 'التالي',
  retry: 'إعادة المحاولة',
  loading: 'لحظة…',
  backUpNow: 'نسخ احتياطي الآن',
  stop: 'إيقاف',
  remove: 'إزالة',
  more: 'المزيد',
});
