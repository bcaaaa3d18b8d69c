// Compiled from the catalogues by `npm run texts`. Do not edit.
import type { drill as source } from '../en/drill.ts';
import { messagesOf } from '../../messages.ts';

const m = messagesOf('ar');

export const drill = (): typeof source => ({
  title: 'الاستعادة التجريبية',
  never: 'لم تُجرَ استعادة تجريبية بعد.',
  hint: 'تُستعاد على فترات منتظمة أحدث الملفات وملفات عشوائية إلى مجلد مؤقت، وتُقارَن ثم تُزال.',
  passed: (set, when) => `نجحت الاستعادة التجريبية لـ«${m.text(set)}»: ${m.text(when)}.`,
  failed: (set, when) => `فشلت الاستعادة التجريبية لـ«${m.text(set)}»: ${m.text(when)}.`,
  facts: (files, bytes) => m.plural(files, { zero: `لم تُستعد ملفات (${m.text(bytes)}).`, one: `استُعيد ملف واحد (${m.text(bytes)}) وقورن، وهو مطابق بتًا ببت.`, two: `استُعيد ملفان (${m.text(bytes)}) وقورنا، وهما مطابقان بتًا ببت.`, few: `استُعيدت ${m.text(files)} ملفات (${m.text(bytes)}) وقورنت، وهي مطابقة بتًا ببت.`, many: `استُعيد ${m.text(files)} ملفًا (${m.text(bytes)}) وقورنت، وهي مطابقة بتًا ببت.`, other: `استُعيد ${m.text(files)} ملف (${m.text(bytes)}) وقورنت، وهي مطابقة بتًا ببت.` }),
  failures: (files) => m.plural(files, { zero: 'استُعيدت كل الملفات كما كانت.', one: 'تعذرت استعادة ملف واحد كما كان.', two: 'تعذرت استعادة ملفين كما كانا.', few: `تعذرت استعادة ${m.text(files)} ملفات كما كانت.`, many: `تعذرت استعادة ${m.text(files)} ملفًا كما كانت.`, other: `تعذرت استعادة ${m.text(files)} ملف كما كانت.` }),
  start: 'اختبار الآن',
  startSet: (set) => `اختبار الآن: «${m.text(set)}»`,
  save: 'حفظ الشهادة…',
  details: 'عرض التفاصيل',
  certificate: {
    title: 'شهادة الاستعادة التجريبية',
    lead: 'استعاد Holdfast الملفات المذكورة أدناه من نسخها الاحتياطية إلى مجلد مؤقت وأعاد قراءة كل بايت منها. وقورن كل ملف بقيم SHA-256 لأجزائه التي تثبتها القائمة المختومة للنسخة الاحتياطية.',
    device: 'الحاسوب',
    issued: 'تاريخ الإصدار',
    version: 'Holdfast',
    set: (set) => `خطة النسخ الاحتياطي «${m.text(set)}»`,
    destination: 'الوجهة',
    tested: 'تاريخ الاختبار',
    point: 'نقطة الاستعادة',
    size: 'في نقطة الاستعادة',
    restored: 'المستعاد',
    sample: 'المختار',
    chosen: (newest, random) => `${m.text(newest)} من الأحدث و${m.text(random)} عشوائيًا`,
    compared: 'مطابق لما نُسخ احتياطيًا',
    onDisk: 'مطابق لما على هذا الحاسوب',
    filesOf: (files) => m.plural(files, { zero: 'لا ملفات', one: 'ملف واحد', two: 'ملفان', few: `${m.text(files)} ملفات`, many: `${m.text(files)} ملفًا`, other: `${m.text(files)} ملف` }),
    sized: (files, bytes) => `${m.text(files)}، ${m.text(bytes)}`,
    result: 'النتيجة',
    passed: 'نجاح',
    failed: (files) => m.plural(files, { zero: 'فشل: لا ملفات', one: 'فشل: ملف واحد', two: 'فشل: ملفان', few: `فشل: ${m.text(files)} ملفات`, many: `فشل: ${m.text(files)} ملفًا`, other: `فشل: ${m.text(files)} ملف` }),
    digest: 'SHA-256 للقائمة',
    list: 'الملفات مع SHA-256',
    first: (files) => `عُرض أول ${m.text(files)}.`,
    none: 'لم تُجرَ أي استعادة تجريبية.',
    footer: 'قيمة SHA-256 للقائمة هي قيمة الأسطر «التجزئة، مسافتان، المسار» لكل الملفات المقارَنة، بهذا الترتيب.',
  },
});
