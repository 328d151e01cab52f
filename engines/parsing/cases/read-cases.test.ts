import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { detectLanguage } from '../../languages/detect.ts'
import { expectLinear } from '../../source/testing/linear-time.ts'
import { describeFile } from '../description/describe-file.ts'
import { type Dialect, dialectOf } from '../dialects.ts'
import { casesIn } from '../testing/cases.ts'
import { readSourceTree } from '../description/source-tree.ts'
import { caseChecker } from '../testing/check-cases.ts'

const root = join(import.meta.dirname, '../../..')

/** Folders with real sources, some of them of other people. */
const folders = [
  'engines/parsing/cases/languages',
  'engines/analysis/ranking',
  'core/projects',
  'cli',
  'node_modules/ajv/dist/compile',
  'node_modules/vite/dist/client',
  'node_modules/koa/lib',
  'node_modules/pg/lib',
  'node_modules/yaml/dist/parse',
]

test.each(folders)(
  'every case of %s has a condition that is in the source at its line, and ends as it says',
  async (folder) => {
    const defects: string[] = []
    let count = 0
    for (const file of await readdir(join(root, folder))) {
      const source = await readFile(join(root, folder, file), 'utf8').catch(() => undefined)
      const dialect = source !== undefined && dialectOf(detectLanguage(file, Buffer.from(source)), file)
      if (!dialect) continue
      const tree = await readSourceTree(source, dialect, { timeoutMs: 5_000, checkNesting: true })
      if (!tree) continue
      const defectOf = caseChecker(tree)
      for (const one of await casesIn(dialect, source)) {
        count += 1
        const defect = defectOf(one)
        if (defect !== undefined) defects.push(`${file}: ${defect}`)
      }
    }
    expect(count).toBeGreaterThan(10)
    expect(defects).toEqual([])
  },
)

test('finds cases that the tree does not have', async () => {
  const source = `function f(a) {
  // if (b) throw new TypeError()
  if (a) return 1
  for (const c of a) c()
  throw new Error('no')
}`
  const tree = await readSourceTree(source, 'js', { timeoutMs: 5_000, checkNesting: true })
  const defectOf = caseChecker(tree ?? expect.fail('was not read'))
  const outcomes = ['returns', 'loop_not_entered', 'catch', 'throws'] as const
  expect(outcomes.map((outcome) => defectOf({ line: 3, condition: 'a', outcome }))).toEqual([
    undefined,
    'no loop has the condition of line 3',
    'nothing is caught at line 3',
    undefined,
  ])
  expect(defectOf({ line: 2, condition: 'b', outcome: 'throws' })).toContain('line 2 does not hold')
  expect(defectOf({ line: 3, condition: 'a', outcome: 'throws', result: 'TypeError' })).toContain('throws "TypeError"')
  expect(defectOf({ line: 4, condition: 'a is empty', outcome: 'loop_not_entered' })).toBeUndefined()
})

test('gives nested functions to the symbol around them, unless they are asked for', async () => {
  const source = `function outer(a) {
  if (a) return 1
  const inner = (b) => {
    if (b) throw new Error('b')
  }
  return inner
}`
  const outer = { name: 'outer', startLine: 1, endLine: 7 }
  const inner = { name: 'outer.inner', startLine: 3, endLine: 5 }
  expect(await conditions(source, [outer])).toEqual([['a', '!a', 'b', '!b']])
  expect(await conditions(source, [outer, inner])).toEqual([
    ['a', '!a'],
    ['b', '!b'],
  ])
})

test('tells functions on one line apart by their names', async () => {
  const source = 'function one(a) { if (a) return 1 } function two(b) { return b ? 1 : 2 }'
  const place = { startLine: 1, endLine: 1 }
  expect(
    await conditions(source, [
      { name: 'one', ...place },
      { name: 'two', ...place },
    ]),
  ).toEqual([
    ['a', '!a'],
    ['b', '!b'],
  ])
})

test('names the conditions before the last alternative, and those around cases that read alike', async () => {
  const texts = async (dialect: Dialect, source: string) =>
    (await casesIn(dialect, source)).filter(({ outcome }) => outcome === 'throws').map(({ condition }) => condition)
  const python = `def f(step):
    if step > 0:
        a()
    elif step < 0:
        b()
    else:
        raise ValueError("zero")
`
  expect(await texts('python', python)).toEqual(['not (step > 0): not (step < 0)'])
  const merge = `function merge(a, options) {
  if (a > 1) {
    if (options.strict) throw new RangeError('limit')
  } else if (a < 0) {
    if (options.strict) throw new RangeError('limit')
  } else {
    if (options.strict) throw new RangeError('limit')
  }
  if (options.other) throw new RangeError('limit')
}`
  expect(await texts('ts', merge)).toEqual([
    'a > 1: options.strict',
    'a < 0: options.strict',
    '!(a < 0): options.strict',
    'options.other',
  ])
  for (const [dialect, source] of [
    ['ts', 'if (a) { b() } else if (c) { d() } else { throw new E() }'],
    ['go', 'package p\nfunc f() { if a { b() } else if c { d() } else { panic("e") } }'],
    ['rust', 'fn f() { if a { b() } else if c { d() } else { panic!("e") } }'],
    ['ruby', 'def f\n  if a\n    b\n  elsif c\n    d\n  else\n    raise E\n  end\nend'],
    ['java', 'class A { void f() { if (a) { b(); } else if (c) { d(); } else { throw new E(); } } }'],
    ['c-sharp', 'class A { void F() { if (a) { B(); } else if (c) { D(); } else { throw new E(); } } }'],
    ['php', '<?php function f($a, $c) { if ($a) { b(); } elseif ($c) { d(); } else { throw new E(); } }'],
  ] as const) {
    expect((await texts(dialect, source))[0]?.replaceAll('$', '')).toBe('!a: !c')
  }
})

test('cuts long conditions and results visibly', async () => {
  const source = `if (${Array.from({ length: 50 }, (_, index) => `part${index}`).join(' && ')}) throw new Error('${'x'.repeat(500)}')`
  const [first, second] = await casesIn('ts', source)
  expect(first?.condition).toMatch(/^part0 && part1 && .*…$/)
  expect(first?.condition.length).toBeLessThanOrEqual(120)
  expect(second?.condition).toMatch(/^!\(part0 && .*…\)$/)
  expect(second?.condition.length).toBeLessThanOrEqual(120)
  expect(first?.result).toMatch(/^Error: x+…$/)
})

test.each<[Dialect, string]>([
  ['ts', 'if (a) { } else { broken( '],
  ['python', 'def f(:\n    if a\n        raise\n'],
  ['go', 'func f() { if err != nil { return '],
  ['ruby', 'def f\n  raise if\n  case'],
  ['php', '<?php if ($a) { throw match'],
  ['rust', 'fn f() { match a { Some( => '],
  ['java', 'class A { void f() { switch (a) { case'],
  ['c-sharp', 'class A { void F() { var x = a switch { 1 =>'],
  ['component', '<p>no script</p>'],
])('reads %s with syntax errors as far as it goes', async (dialect, source) => {
  const places = [{ name: 'f', startLine: 1, endLine: 9 }]
  const described = await describeFile(Buffer.from(source), dialect, places, { timeoutMs: 5_000, checkNesting: true })
  expect(described).toHaveProperty('symbols.length', 1)
})

/** Sources that could take a time that grows faster than their size. */
const hostile: [what: string, dialect: Dialect, (size: number) => string][] = [
  ['ifs on one line', 'ts', (size) => 'if(a&&b)c();'.repeat(size / 12)],
  ['a chain of alternatives', 'python', (size) => `if a:\n x\n${'elif b:\n x\n'.repeat(size / 12)}`],
  ['a chain of defaults', 'ts', (size) => `x = ${'(a || '.repeat(50)}b${')'.repeat(50)}${';a||b'.repeat(size / 5)}`],
  ['operators', 'ruby', (size) => `x = ${'a || '.repeat(size / 5)}b`],
  ['a huge condition', 'go', (size) => `package p\nfunc f() { if ${'a + '.repeat(size / 4)}b { return } }`],
  ['arms that fall through', 'java', (size) => `class A { void f() { switch (a) { ${'case 1:'.repeat(size / 7)} } } }`],
  ['arms', 'rust', (size) => `fn f() { match a { ${'1 => {},'.repeat(size / 8)} } }`],
  ['a long message', 'php', (size) => `<?php if ($a) throw new X("${'# '.repeat(size / 2)}");`],
  ['parameters', 'c-sharp', (size) => `class A { void F(${'int a = 1, '.repeat(size / 11)}int b) { } }`],
]

test.each(hostile)('%s take linear time', async (_, dialect, make) => {
  const places = [{ name: 'f', startLine: 1, endLine: 1_000_000 }]
  const options = { timeoutMs: 60_000, checkNesting: true }
  await expectLinear(make, 80_000, (text) => describeFile(Buffer.from(text), dialect, places, options))
})

async function conditions(source: string, places: { name: string; startLine: number; endLine: number }[]) {
  const options = { timeoutMs: 5_000, checkNesting: true }
  const described = await describeFile(Buffer.from(source), 'ts', places, options)
  if ('unparsed' in described) throw new Error(described.unparsed)
  return described.symbols.map((symbol) => symbol?.cases.map(({ condition }) => condition))
}
