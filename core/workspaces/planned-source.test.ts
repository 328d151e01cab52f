import { expect, test } from 'vitest'
import { partsOf } from '../../engines/test-plan/testing/tree.ts'
import { restrict } from './planned-source.ts'

const own = { scripts: { test: 'sh check.sh' } }
const jest = { scripts: { test: 'jest' }, devDependencies: { jest: '29' } }
const selecting = (...paths: string[]) => ({ paths, tests: [] })

test('a part whose runner cannot be restricted runs whole if a selected test is in it, beside parts that can be', async () => {
  const parts = await partsOf({ 'api/package.json': own, 'docs/package.json': own, 'web/package.json': jest })
  const selection = selecting('api/test/a.test.js', 'web/b.test.js')
  const { parts: restricted } = restrict({ parts }, selection, true)
  expect(restricted.map(({ directory }) => directory)).toEqual(['api', 'web'])
  expect(restricted[0]?.test).toBe(parts[0]?.test)
  expect(restricted[0]?.notes.at(-1)).toMatch(/^All tests run: Assay does not know how the setting/)
  expect(restricted[1]?.test.short).toContain('b')
})

test('without a part for the selected tests, either all run or the run is refused', async () => {
  const parts = await partsOf({ 'web/package.json': jest })
  expect(restrict({ parts }, selecting('api/a.test.js'), true).parts[0]?.notes.at(-1)).toMatch(
    /^All tests run: None of/,
  )
  expect(() => restrict({ parts }, selecting('api/a.test.js'), false)).toThrow('cannot be restricted')
})
