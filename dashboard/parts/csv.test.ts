import { expect, test } from 'vitest'
import { toCsv } from './csv.ts'

test('writes rows as CSV, quoted where a spreadsheet could split them', () => {
  expect(
    toCsv([
      ['name', 'count'],
      ['a "quoted", text', 1],
      ['a;b', null],
      ['a\tb', true],
      ['two\nlines', undefined],
    ]),
  ).toBe('name,count\r\n"a ""quoted"", text",1\r\n"a;b",\r\n"a\tb",true\r\n"two\nlines",\r\n')
})

test('keeps spreadsheets from running texts as formulas, and numbers as they are', () => {
  const texts = ['=1+1', '+1', '-1', '@x', ' =1', '\u00a0=1', '\ufeff=1', '＝1', '\t=1', '\r=1']
  for (const text of texts) expect(toCsv([[text]]).replace(/^"/, '')).toMatch(/^'/)
  expect(toCsv([[-1, 'a=b']])).toBe('-1,a=b\r\n')
})
