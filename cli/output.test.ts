import { Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import type { TestCandidate } from '../engines/analysis/schema.ts'
import { writeCandidates } from './commands/analyze.ts'
import { bold, createOutput, type Terminal } from './output.ts'

/** A terminal, or a pipe where it has no columns, that keeps what is written to it. */
function listen(columns?: number): { stream: Terminal; text: () => string } {
  let text = ''
  const stream: Terminal = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString()
      done()
    },
  })
  if (columns !== undefined) Object.assign(stream, { isTTY: true, columns })
  return { stream, text: () => text }
}

function open({ columns, json = false }: { columns?: number; json?: boolean } = {}) {
  const stdout = listen(columns)
  const stderr = listen(columns)
  return { out: createOutput({ json, stdout: stdout.stream, stderr: stderr.stream, env: {} }), stdout, stderr }
}

const rows = [
  ['1', bold('商店'), 'somewhere far away indeed, and further'],
  ['22', 'e\u0301te\u0301', 'a\tb\nc'],
] as const

test('aligns columns by their width on a terminal, and cuts the last one', () => {
  const { out, stdout } = open({ columns: 40 })
  out.table(['ID', 'NAME', 'WHERE'], rows)
  const lines = stripVTControlCharacters(stdout.text()).split('\n')
  expect(lines).toEqual([
    'ID  NAME  WHERE',
    '1   商店  somewhere far away indeed, an…',
    '22  e\u0301te\u0301   a b c',
    '',
  ])
})

test('prints whole rows without headings to a pipe', () => {
  const { out, stdout, stderr } = open()
  out.table(['ID', 'NAME', 'WHERE'], rows)
  out.hint('Something to do next')
  out.progress('Half way')
  expect(stdout.text()).toBe('1\t商店\tsomewhere far away indeed, and further\n22\te\u0301te\u0301\ta b c\n')
  expect(stderr.text()).toBe('')
})

test('shows each milestone as a line without a terminal, and none in JSON mode', () => {
  const steps = ['Verifying: pending', 'Verifying: pending', 'Verifying: mutants 5 of 20']
  const [pipe, json, terminal] = [open(), open({ json: true }), open({ columns: 40 })]
  for (const { out } of [pipe, json, terminal]) for (const step of steps) out.milestone(step)
  expect(pipe.stderr.text()).toBe('Verifying: pending\nVerifying: mutants 5 of 20\n')
  expect(json.stderr.text()).toBe('')
  expect(terminal.stderr.text()).not.toContain('\n')
  expect(pipe.stdout.text() + terminal.stdout.text()).toBe('')
})

test('prints no headings without rows', () => {
  const { out, stdout } = open({ columns: 40 })
  out.table(['ID', 'NAME'], [])
  expect(stdout.text()).toBe('')
})

test('prints only JSON in JSON mode, with hidden characters escaped', () => {
  const { out, stdout } = open({ json: true, columns: 80 })
  const document = { name: 'a\u202eb\u009bc\u{e0041}' }
  out.line('a line')
  out.table(['ID'], [['1']])
  out.block('a block')
  out.answer(document, () => out.line('for people'))
  expect(stdout.text()).toMatch(/^[\n -~]*$/)
  expect(JSON.parse(stdout.text())).toEqual(document)
})

test('a terminal that does not know its width gets whole lines', () => {
  const { out, stdout, stderr } = open({ columns: 0 })
  out.table(['ID', 'WHERE'], [['1', 'somewhere far away indeed, and further']])
  out.progress('Reading a file with a long name')
  expect(stdout.text()).toContain('somewhere far away indeed, and further')
  expect(stderr.text()).toContain('Reading a file with a long name')
})

test('the next output replaces a line of progress', () => {
  const { out, stderr } = open({ columns: 20 })
  out.progress('Reading a file with a long name')
  out.warn('Mind the gap')
  expect(stderr.text()).toContain('Reading a file wit…')
  expect(stderr.text().endsWith('\r\u001b[KMind the gap\n')).toBe(true)
})

test('removes newlines and cursor movements from foreign text', () => {
  const { out, stdout } = open()
  out.line('a\nInjected: yes\u001b[2J', '\u009b1A')
  expect(stdout.text()).toBe('a Injected: yes1A\n')
})

test('shows the reasons of a candidate on a line of their own on a terminal, and in one row in a pipe', () => {
  const reasons = ['complexity 71; changed once in the last 90 days', 'no test imports it']
  const where = { path: 'engines/parsing/javascript/walker.ts', startLine: 26, endLine: 138 }
  const candidate = { ...where, symbol: 'Walker.#walk', score: 3.216, reasons } as TestCandidate
  const [terminal, pipe] = [open({ columns: 80 }), open()]
  for (const { out } of [terminal, pipe]) writeCandidates(out, [candidate], { offset: 10, detail: false })
  expect(stripVTControlCharacters(terminal.stdout.text())).toBe(
    ' 11. Walker.#walk  engines/parsing/javascript/walker.ts:26-138  score 3.22\n' +
      '     complexity 71; changed once in the last 90 days; no test imports it\n',
  )
  expect(pipe.stdout.text().split('\t').at(-1)).toBe(`${reasons.join('; ')}\n`)
})
