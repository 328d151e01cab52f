import { expect, test } from 'vitest'
import { type OldCode, readOldCode } from './old-code.ts'
import { code, codeFile } from './testing.ts'

/** Reads a change of consecutive lines as one hunk from the first to the last line that differs. */
function readChange(before: string, now: string, path = codeFile): OldCode {
  const [old, recent] = [before.split('\n'), now.split('\n')]
  let first = 0
  while (first < old.length && old[first] === recent[first]) first++
  let same = 0
  while (same < Math.min(old.length, recent.length) - first && old.at(-1 - same) === recent.at(-1 - same)) same++
  const [oldLines, newLines] = [old.length - same - first, recent.length - same - first]
  const hunk = {
    oldStart: oldLines === 0 ? first : first + 1,
    oldLines,
    newStart: newLines === 0 ? first : first + 1,
    newLines,
  }
  const files = [code({ path, before: path, hunks: [hunk] })]
  return readOldCode({ files, sources: new Map([[path, now]]), sourcesBefore: new Map([[path, before]]) })
}

const shown = ({ mutants }: OldCode) =>
  mutants.map(
    ({ operator, original, replacement, isSpare }) =>
      `${isSpare ? 'spare ' : ''}${operator}: ${original} -> ${replacement}`,
  )

test('changes values that the change drops', () => {
  const before = 'def days(month):\n    if month in (4, 6, 9, 11):\n        return 30\n    return 31\n'
  const now = 'def days(month):\n    return 30 if month in (4, 6, 9) else 31\n'
  const found = readChange(before, now, 'a.py')
  expect(shown(found).filter((one) => !one.startsWith('spare'))).toEqual(['value: 11 -> 12'])
  const [mutant] = found.mutants.filter(({ isSpare }) => !isSpare)
  expect(mutant).toMatchObject({ path: 'a.py', line: 2 })
  expect(before.slice(mutant?.start, mutant?.end)).toBe('11')
  expect(found.places).toMatchObject([{ path: 'a.py', line: 2, before: { first: 2, last: 4 } }])
})

test('removes assignments in the form that the language can load', () => {
  const change = (line: string, path: string) => shown(readChange(`a\n${line}\nb\n`, 'a\nc()\nb\n', path))
  expect(change('\ts.items = s.items[:last]', 'a.go')).toEqual([
    'removed_assignment: s.items = s.items[:last] -> _ = s.items[:last]',
  ])
  expect(change('\ta[i], a[j] = a[j], a[i]', 'a.go')).toEqual([
    'removed_assignment: a[i], a[j] = a[j], a[i] -> _, _ = a[j], a[i]',
  ])
  expect(change('\ttotal += price', 'a.go')).toEqual(['removed_assignment: total += price -> _ = price'])
  expect(change('  this.rest = sum;', 'a.ts')).toEqual(['removed_assignment: this.rest = sum -> ;'])
  expect(change('    self.rest = sum', 'a.py')).toEqual(['removed_assignment: self.rest = sum -> pass'])
})

test('removes no declarations, comparisons and parts of longer statements', () => {
  for (const line of ['const a = b', 'last := a', 'if (a = b) run()', 'a == b', 'f = (x) =>', 'a = [', 'b = c,'])
    expect(shown(readChange(`a\n${line}\nb\n`, 'a\nc()\nb\n')), line).toEqual([])
  expect(shown(readChange('a = b\n  .map(f)\n', 'c\n'))).toEqual([])
})

test('leaves out moved lines, imports, texts for people and comments', () => {
  const moved = readChange('a()\nrest = 5\nb()\n', 'if (x) {\n  rest = 5\n}\na()\nb()\n')
  expect([...moved.removed]).toEqual([])
  expect(readChange("import a from './price.js'\n", "import a from './prices.js'\n")).toEqual({
    places: [],
    removed: new Map(),
    mutants: [],
  })
  expect(shown(readChange("throw new Error('no 5') // 7\n", 'stop()\n'))).toEqual([])
})

test('asks for no mutant of new names of variables, new formats and types', () => {
  const places = (before: string, now: string, path = codeFile) => readChange(before, now, path).places.length
  expect(places('const left = page.rows\n', 'const rest = page.rows\n')).toBe(0)
  expect(places('run(a,\n  b)\n', 'run(a, b)\n')).toBe(0)
  expect(places('interface A {\n  a: number\n}\n', 'interface A {\n  readonly a: number\n}\n')).toBe(0)
  // Another name that exists already, an imported one or a property is other code.
  expect(places('const left = page.rows\nuse(right)\n', 'const right = page.rows\nuse(right)\n')).toBe(1)
  expect(places('a = max(b)\n', 'a = min(b)\n', 'a.py')).toBe(1)
  expect(places('a = b.rows\n', 'a = b.lines\n')).toBe(1)
})

test('reads whole files that a change adds and deletes', () => {
  const files = [
    code({ path: 'a.js', before: 'a.js', change: 'deleted', lines: [] }),
    code({ path: 'b.js', before: null, change: 'added' }),
  ]
  const read = (old: string, now: string) =>
    readOldCode({ files, sources: new Map([['b.js', now]]), sourcesBefore: new Map([['a.js', old]]) })
  expect(read('run(1)\n', 'run(1)\n').places).toEqual([])
  const { places, removed } = read('run(1)\nstop()\n', 'run(1)\n')
  expect([places.map(({ path, line }) => `${path}:${line}`), [...removed]]).toEqual([['a.js:2'], [['a.js', [[2, 2]]]]])
})
