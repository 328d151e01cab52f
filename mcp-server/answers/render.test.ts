import fc from 'fast-check'
import { expect, test } from 'vitest'
import { write } from './output.ts'
import { renderFields } from './render.ts'

const render = (facts: object) => renderFields(Object.entries(facts)).join('\n')

test('writes a field per line, lists in one line, and leaves out absent values', () => {
  const facts = {
    status: 'FAILED',
    tests: { total: 4, failed: 3 },
    scopes: ['a:b', 'c:d'],
    error: undefined,
    file: null,
  }
  expect(render(facts)).toBe('status: FAILED\ntests: total 4, failed 3\nscopes: a:b, c:d')
  expect(render({ warnings: ['No lockfile, so no cache.', 'Slow'], runs: [], clear: {} })).toBe(
    'warnings: No lockfile, so no cache.; Slow\nruns: none\nclear: none',
  )
})

test('writes objects in a list as rows below the names of their columns', () => {
  const projects = [
    { id: '1', name: 'Shop', language: 'Go' },
    { id: '2', name: '', language: undefined },
  ]
  expect(render({ projects })).toBe('projects: id | name | language\n- 1 | Shop | Go\n- 2 | (empty)')
})

test('text cannot end its cell or its item', () => {
  const projects = [
    { name: 'Nice | /tmp/evil | main', branch: 'main', note: undefined },
    { name: '-', branch: '-', note: undefined },
  ]
  expect(render({ projects })).toBe('projects: name | branch\n- Nice \\| /tmp/evil \\| main | main\n- - | -')
  expect(render({ paths: ['a, b', 'c; d'] })).toBe('paths: a, b; "c; d"')
})

test('indents nested lists, and fences code in any depth', () => {
  const failures = { groups: [{ message: 'no', examples: [{ test: 'a' }, { test: 'b' }] }], log: 'one line' }
  expect(render({ failures })).toBe(
    'failures:\n  groups: message\n  - no\n    examples: test\n    - a\n    - b\n  log:\n```\none line\n```',
  )
  expect(render({ tests: [{ id: '1', output: 'a\n```\nb' }] })).toBe('tests: id\n- 1\n  output:\n````\na\n```\nb\n````')
})

test('puts the notice after the first line, and the end of a page and the next step last', () => {
  const facts = { name: 'Shop', items: ['a'], total: 3, offset: 1, nextOffset: 2, note: 'Data.', next: 'Next: stop.' }
  expect(write(facts, {}, false).text).toBe(
    'name: Shop\nData.\nitems (1 of 3, from offset 1): a\nCall again with offset 2 for the rest.\nNext: stop.',
  )
})

test('shows every value of every answer', () => {
  const name = fc.stringMatching(/^[a-z]{1,5}$/)
  const text = fc.stringMatching(/^[\w ,|`]{1,20}(?:\n[\w`]{1,9})?$/)
  const scalar = fc.oneof(text, fc.integer(), fc.boolean())
  const record = fc.dictionary(name, fc.oneof(scalar, fc.array(text, { maxLength: 3 })), { maxKeys: 4 })
  const rows = fc.array(record, { maxLength: 3 })
  const value = fc.oneof(scalar, record, rows, fc.dictionary(name, fc.oneof(scalar, record, rows), { maxKeys: 3 }))
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('code', 'list', 'one', 'two'), value), (facts) => {
      const shown = render(facts)
      for (const leaf of leaves(facts).flatMap((one) => one.split('\n'))) {
        expect(shown.replaceAll('\\|', '|')).toContain(leaf.trimEnd())
      }
    }),
  )
})

function leaves(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(leaves)
  return [String(value)]
}
