import { expect, test } from 'vitest'
import { aroundChange } from './around-change.ts'

/** Replaces the text between two bars. */
function around(marked: string, replacement: string) {
  const start = marked.indexOf('|')
  const end = marked.indexOf('|', start + 1) - 1
  const source = marked.replaceAll('|', '')
  return aroundChange(source, { start, end, original: source.slice(start, end), replacement })
}

test('tells two equal literals of a line apart', () => {
  expect(around('const a = 1\n  let i = |0|, end = 0\n', '1')).toEqual({
    column: 11,
    context: { original: 'let i = 0, end = 0', replacement: 'let i = 1, end = 0' },
  })
  expect(around('const a = 1\n  let i = 0, end = |0|', '1')).toEqual({
    column: 20,
    context: { original: 'let i = 0, end = 0', replacement: 'let i = 0, end = 1' },
  })
})

test('shows no more than what is changed where that says enough', () => {
  expect(around('if (|count < 3|) return', 'count <= 3')).toEqual({ column: 5, context: null })
  expect(around('|stop()|\n', ';')).toEqual({ column: 1, context: null })
})

test('shortens a long line on both sides', () => {
  const { context } = around(`${'a'.repeat(500)}|0|${'b'.repeat(500)}`, '1')
  expect(context).toEqual({
    original: `…${'a'.repeat(40)}0${'b'.repeat(40)}…`,
    replacement: `…${'a'.repeat(40)}1${'b'.repeat(40)}…`,
  })
})
