/**
 * The streams of the format tests of the Web Platform Tests (`eventsource/format-*`), and texts of our own. As the headline
 * of an item they are text: no client may take any of it for the format of the stream.
 */
export const FORMAT_CASES: Readonly<Record<string, string>> = {
  bom: '\uFEFFdata:1\n\n\uFEFFdata:2\n\ndata:3',
  'bom-2': '\uFEFF\uFEFFdata:1\n\ndata:2\n\ndata:3',
  comments: `data:1\r:\0\n:\r\ndata:2\n:${'x'.repeat(2_048)}\rdata:3\n:data:fail\r:${'x'.repeat(2_048)}\ndata:4\n`,
  'data-before-final-empty-line': 'retry:1000\ndata:test1\n\nid:test\ndata:test2',
  'field-data': 'data:\n\ndata\ndata\n\ndata:test',
  'field-event': 'event:test\ndata:x\n\ndata:x\n\nevent: closing\ndata: {}\n\n',
  'field-event-empty': 'event: \ndata:data',
  'field-id': 'id: 1\ndata: x\n\nid\ndata: y\n\n',
  'field-id-null': 'id:\0\ndata: x\n\nid: a\0b\ndata: y\n\n',
  'field-parsing':
    'data:\0\ndata:  2\rData:1\ndata\0:2\ndata:1\r\0data:4\nda-ta:3\rdata_5\ndata:3\rdata:\r\n data:32\ndata:4\n',
  'field-retry': 'retry:03000\ndata:x',
  'field-retry-bogus': 'retry:3000\nretry:1000x\ndata:x',
  'field-retry-empty': 'retry\ndata:test',
  'field-unknown': 'data:test\n data\ndata\nfoobar:xxx\njustsomestuff\n:thisisacommentyay\ndata:test',
  'leading-space': 'data:\ttest\rdata: \ndata:test',
  newlines: 'data:test\r\ndata\ndata:test\r\n\r\n\n\r\r',
  'null-character': 'data:\0\n\n\n\n',
  'utf-8': 'data:ok… Ω 漢字 👩‍👩‍👧 \u0301',
  'line separators': 'one\u2028two\u2029three\u0085four\vfive\fsix',
  quotes: `"\\"\\\\" '}' </script> \\u0000 &amp;`,
  'long line': 'long '.repeat(60_000),
};
