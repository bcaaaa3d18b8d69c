// Compiled from the catalogues by `npm run texts`. Do not edit.
import type { updates as source } from '../en/updates.ts';
import { messagesOf } from '../../messages.ts';

const m = messagesOf('ar');

export const updates = (): typeof source => ({
  title: 'التحديثات',
  look: 'البحث عن تحديثات',
  lookHint: 'مرة في اليوم. يُثبَّت التحديث حين لا يكون نسخ احتياطي أو استعادة أو فحص قيد التنفيذ.',
  none: 'هذه النسخة من Holdfast لا تبحث عن تحديثات.',
  packageManager: 'تأتي التحديثات من مدير الحزم في نظامك.',
  byAdministrator: 'عطّل مسؤول النظام التحديثات.',
  notChecked: 'لم يبحث Holdfast عن تحديثات منذ تشغيله.',
  current: (when) => `لم يكن هناك إصدار أحدث. آخر بحث: ${m.text(when)}`,
  checking: 'يجري البحث عن تحديثات…',
  offered: (version) => `الإصدار ${m.text(version)} متاح. نزّله من حيث حصلت على هذا الإصدار.`,
  systemTooOld: (version) => `الإصدار ${m.text(version)} متاح، لكنه يتطلب إصدارًا أحدث من نظام تشغيل هذا الحاسوب.`,
  downloading: (version, percent) => `تنزيل الإصدار ${m.text(version)}: ${m.text(percent)}`,
  ready: (version) => `الإصدار ${m.text(version)} جاهز للتثبيت.`,
  replaced: 'ثُبّت إصدار جديد. أعِد تشغيل Holdfast لاستخدامه.',
  afterRun: 'يصبح هذا ممكنًا بعد انتهاء العملية الحالية.',
  problems: {
    network: 'يتعذّر الوصول إلى خادم التحديثات. يحاول Holdfast مرة أخرى لاحقًا.',
    signature: 'عرض خادم التحديثات تحديثًا غير موقّع من صانعي Holdfast. رُفض.',
    metadata: 'عرض خادم التحديثات تحديثًا لا يستطيع هذا الإصدار قراءته. رُفض.',
    damaged: 'كان التحديث الذي نُزّل تالفًا. رُفض.',
    install: 'تعذّر تثبيت التحديث. يواصل Holdfast العمل بهذا الإصدار.',
  },
  check: 'بحث الآن',
  install: 'تثبيت وإعادة تشغيل',
  restart: 'إعادة تشغيل Holdfast',
  news: 'ما الجديد…',
  newsTitle: 'ما الجديد',
  newsOf: (version) => `الإصدار ${m.text(version)}`,
});
