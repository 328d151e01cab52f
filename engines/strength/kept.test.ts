import { expect, test } from 'vitest'
import { switchJavaScript } from '../mutation/javascript/switch.ts'
import { mutantsOf } from '../mutation/mutants-of.ts'
import { everyLine } from '../mutation/testing.ts'
import { codePartsOf, digestOf, mutantKeys } from './code-parts.ts'
import type { SeenTest } from './kept-reach.ts'
import { type Found, type Kept, mergeResults, type MutantResults, whatIsSpared, whatToKeep } from './kept.ts'

const sources: Record<string, string> = {
  'a.js': 'export function add(a, b) {\n  return a + b\n}\nexport function less(a, b) {\n  return a < b\n}\n',
  'b.js': 'export const twice = (n) => n * 2\n',
  'names.js': 'export const names = []\n',
  'a.test.js': 'calls add',
  'b.test.js': 'calls twice',
}

/** A program whose test `a.test.js` calls `add`, and whose test `b.test.js` calls `twice`. */
async function programOf(texts: Record<string, string>, { reportsLoads = true } = {}) {
  const code: [string, ReturnType<typeof codePartsOf>][] = []
  const mutants: Found['mutants'][number][] = []
  const probes = new Map<number, number>()
  for (const path of ['a.js', 'b.js']) {
    const found = await mutantsOf(path, texts[path] ?? '', everyLine)
    const own = found.map((mutant, index) => ({ id: mutants.length + index + 1, mutant }))
    mutants.push(...own)
    const switched = switchJavaScript(texts[path] ?? '', 'js', own)
    for (const [id, probe] of switched.probes) probes.set(id, probe)
    code.push([path, codePartsOf(texts[path] ?? '', own, switched)])
  }
  const contentOf = (path: string) => (path in texts ? digestOf(texts[path] ?? '') : null)
  const calls = (path: string, at: number) => {
    const parts = code.find(([file]) => file === path)?.[1]
    const unit = parts?.units[at]?.key
    return (number: number) => (reportsLoads && number === parts?.marker) || parts?.unitOf.get(number) === unit
  }
  const probeIn = (path: string) => probes.get(mutants.find(({ mutant }) => mutant.path === path)?.id ?? 0) ?? 0
  const ran = (name: string, path: string): SeenTest[] => [
    { part: 0, test: null, ms: 5, probes: [] },
    { part: 0, test: name, ms: 2, probes: [probeIn(path)] },
  ]
  const reaches = [
    { path: 'a.test.js', hasReported: calls('a.js', 0), hasFailed: false, tests: ran('adds', 'a.js') },
    { path: 'b.test.js', hasReported: calls('b.js', 0), hasFailed: false, tests: ran('doubles', 'b.js') },
  ]
  const ofB = mutants.filter(({ mutant }) => mutant.path === 'b.js').map(({ id }) => id)
  const decided: Found['decided'] = [
    { id: 1, outcome: 'noticed', by: { file: 'a.test.js', test: 'adds' }, tries: 1 },
    ...ofB.map((id) => ({ id, outcome: 'survived' as const, by: null, tries: 1 })),
  ]
  const parts = new Map(code)
  const keys = mutantKeys(mutants, parts)
  const present = { mutants, probes, keys, code: parts, contentOf, testOf: contentOf }
  const testsOf = () => ['b.test.js']
  return { ...present, reaches, decided, isUnchecked: (id: number) => id === 1, testsOf, paths: Object.keys(texts) }
}

const nothing: Kept = { tests: [], others: [], reaches: [], results: new Map() }

async function sparedAfter(change: Record<string, string>, how = {}) {
  const kept = whatToKeep(await programOf(sources, how), nothing)
  const { decided, hints } = whatIsSpared(kept, await programOf({ ...sources, ...change }))
  return { noticed: decided.map(({ by }) => by?.test), hints: [...hints.values()] }
}

const accepted = [{ accepted: ['b.test.js'] }]

test('counts results again while nothing has changed that their tests ran', async () => {
  expect(await sparedAfter({})).toEqual({ noticed: ['adds'], hints: accepted })
  // Lines move, other functions and tests change, files are added.
  const moved = { 'a.js': sources['a.js']?.replace('return a < b', '// smaller\n  return a <= b') ?? '' }
  expect(await sparedAfter(moved)).toEqual({ noticed: ['adds'], hints: accepted })
  expect(await sparedAfter({ 'b.test.js': 'calls more', 'new.js': '' })).toEqual({ noticed: ['adds'], hints: [] })
})

test('tries again what has changed, with the test first that noticed it before', async () => {
  const first = [{ first: { path: 'a.test.js', test: 'adds' } }]
  expect(await sparedAfter({ 'a.test.js': 'calls less' })).toEqual({ noticed: [], hints: [...first, ...accepted] })
  // Another mutant, although it has the same place and text.
  expect(await sparedAfter({ 'a.js': sources['a.js']?.replace('a + b', 'b + a') ?? '' })).toMatchObject({ noticed: [] })
  // Code of the module, and files that each test may depend on.
  expect(await sparedAfter({ 'a.js': `import 'x'\n${sources['a.js']}` })).toEqual({
    noticed: [],
    hints: [...first, ...accepted],
  })
  expect(await sparedAfter({ 'names.js': 'export const names = [1]\n' })).toEqual({ noticed: [], hints: first })
})

test('knows what tests reach while they would do the same', async () => {
  const kept = whatToKeep(await programOf(sources), nothing)
  const knownAfter = async (change: Record<string, string>) => {
    const present = await programOf({ ...sources, ...change })
    const tests = new Map(present.reaches.map(({ path, tests: seen }) => [path, seen]))
    const { known } = whatIsSpared(kept, present)
    // The numbers of probes are those of the present program.
    for (const one of known) expect(one.tests).toEqual(tests.get(one.path))
    return known.map(({ path }) => path)
  }
  expect(await knownAfter({})).toEqual(['a.test.js', 'b.test.js'])
  const longer = `${sources['a.js']}export function more(a, b) {\n  return a > b\n}\n`
  expect(await knownAfter({ 'a.js': longer })).toEqual(['b.test.js'])
  const edited = sources['a.js']?.replace('return a < b', 'return a < b && b > 1') ?? ''
  expect(await knownAfter({ 'a.js': edited })).toEqual(['a.test.js', 'b.test.js'])
  expect(await knownAfter({ 'b.test.js': 'calls more' })).toEqual(['a.test.js'])
  expect(await knownAfter({ 'names.js': 'export const names = [1]\n' })).toEqual([])
})

test('knows nothing of code that nobody asked for when the tests ran', async () => {
  const all = await programOf(sources)
  const ofA = { ...all, code: new Map([...all.code].filter(([path]) => path === 'a.js')) }
  const kept = whatToKeep(ofA, nothing)
  expect(whatIsSpared(kept, ofA).known.map(({ path }) => path)).toEqual(['a.test.js', 'b.test.js'])
  expect(whatIsSpared(kept, all).known).toEqual([])
  // Nor does a measurement of less forget what one of more has seen.
  const ofBoth = whatToKeep(all, nothing)
  const reaches = ofA.reaches.map((reach) => ({ ...reach, tests: null }))
  const later = whatToKeep({ ...ofA, reaches }, ofBoth)
  expect(whatIsSpared(later, all).known).toHaveLength(2)
})

test('trusts nothing if the runner does not report what is loaded', async () => {
  const unseen = { reportsLoads: false }
  expect(await sparedAfter({}, unseen)).toEqual({ noticed: ['adds'], hints: accepted })
  expect((await sparedAfter({ 'b.js': 'export const twice = (n) => n + n\n' }, unseen)).noticed).toEqual([])
})

test('says which results no measurement has sampled', async () => {
  const program = await programOf(sources)
  const kept = whatToKeep(program, nothing)
  expect([...whatIsSpared(kept, program).unchecked]).toEqual([1])
  const checked = whatToKeep({ ...program, isUnchecked: () => false }, kept)
  expect([...whatIsSpared(checked, program).unchecked]).toEqual([])
})

test('replaces results of the same mutants, keeps a limited number, and forgets tests that no result names', () => {
  const earlier: MutantResults = {
    tests: ['t1', 't2'],
    mutants: [
      ['m1', 'survived', [0, 1]],
      ['m2', 'noticed', 1, 'x'],
    ],
    unchecked: ['m1', 'm2'],
  }
  const added: MutantResults = { tests: ['t3', 't2'], mutants: [['m1', 'noticed', 0, null]], unchecked: [] }
  expect(mergeResults(earlier, added, new Set(['m1']))).toEqual({
    tests: ['t2', 't3'],
    mutants: [
      ['m2', 'noticed', 0, 'x'],
      ['m1', 'noticed', 1, null],
    ],
    unchecked: ['m2'],
  })
  const many = Array.from({ length: 6_000 }, (_, index): MutantResults['mutants'][number] => [
    `n${index}`,
    'survived',
    [0],
  ])
  const merged = mergeResults({ tests: ['t1'], mutants: many, unchecked: [] }, added, new Set())
  expect([merged.mutants.length, merged.mutants.at(0)?.[0], merged.mutants.at(-1)?.[0]]).toEqual([5_000, 'n1001', 'm1'])
})
