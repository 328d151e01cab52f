import { expect, test } from 'vitest'
import { TestCandidate } from '../schema.ts'
import type { SourceFile } from '../graph/source-tree.ts'
import { madeUpFile, repository } from '../graph/testing/repository.ts'
import type { SymbolFact } from '../../parsing/types.ts'
import type { History } from '../../source/types.ts'
import type { CarriedFile } from '../../coverage/carry-over.ts'
import type { KnownCoverage } from '../types.ts'
import { expectLinear } from '../../source/testing/linear-time.ts'
import { rankCandidates } from './rank-candidates.ts'

const limits = { maxCandidates: 1_000 }
const unknown: History = { commits: 0, changes: new Map(), recentChanges: new Map() }

function history(changes: Record<string, number>, recent: Record<string, number> = {}, commits = 1_000): History {
  return { commits, changes: new Map(Object.entries(changes)), recentChanges: new Map(Object.entries(recent)) }
}

const body = 'let r = a; if (a > 1) { r = 2 } if (a > 2) { r = 3 } return r'

function symbol(name: string, complexity: number, line = 1): SymbolFact {
  return {
    name,
    kind: 'function',
    startLine: line,
    endLine: line + 9,
    complexity,
    exported: true,
    statements: complexity,
  }
}

test('ranks symbols that no test reaches first, and symbols that tests call last', async () => {
  const { files, manifests } = await repository({
    'src/tested.ts': `export function tested(a) { ${body} }`,
    'src/loaded.ts': `export function called(a) { return a }\nexport function loaded(a) { ${body} }`,
    'src/lost.ts': `export function lost(a) { ${body} }`,
    'src/tested.test.ts': `import { tested } from './tested'\nimport { called } from './loaded'\ntest('x', () => tested(called(1)))`,
  })
  const { candidates, candidateCount } = rankCandidates({ files, manifests, history: history({}), limits })
  expect(candidates.map((candidate) => candidate.symbol)).toEqual(['lost', 'loaded', 'tested'])
  expect(candidates.map((candidate) => candidate.hasTest)).toEqual([false, false, true])
  expect(candidateCount).toBe(3)
  for (const candidate of candidates) TestCandidate.parse(candidate)
})

test('weighs symbols by complexity, changes and importers', async () => {
  const importers = Object.fromEntries(
    Array.from({ length: 6 }, (_, index) => [`src/user${index}.ts`, `import { hub } from './hub'\nhub(1)`]),
  )
  const { files, manifests } = await repository({
    'src/hub.ts': `export function hub(a) { ${body} }`,
    'src/busy.ts': `export function busy(a) { ${body} }`,
    'src/plain.ts': `export function plain(a) { ${body} }`,
    'src/hard.ts': `export function hard(a) { ${body.repeat(12).replaceAll('let r', 'r')} }`,
    ...importers,
  })
  const changes = history({ 'src/busy.ts': 40 })
  const { candidates } = rankCandidates({ files, manifests, history: changes, limits })
  expect(candidates.map((candidate) => candidate.symbol)).toEqual(['hard', 'busy', 'hub', 'plain'])
  expect(candidates.find((candidate) => candidate.symbol === 'hub')?.fanIn).toBe(6)
})

test('says why in sentences', async () => {
  const { files, manifests } = await repository({
    'src/app.ts': `import { route } from './router'\nimport { draw } from './draw'\nexport function app(a) { draw(a); return route(a) }`,
    'src/router.ts': `export function route(a) { ${body} }`,
    'src/draw.ts': `function draw(a) { ${body} }\nexport { draw }`,
    'src/lost.ts': `function lost(a) { ${body} }`,
    'src/app.test.ts': `import { app } from './app'\ntest('x', () => app(1))`,
  })
  const changes = history(
    { 'src/router.ts': 30, 'src/draw.ts': 7, 'src/lost.ts': 1 },
    { 'src/router.ts': 9, 'src/lost.ts': 1 },
  )
  const { candidates } = rankCandidates({ files, manifests, history: changes, limits })
  const reasonsFor = (name: string) => candidates.find((candidate) => candidate.symbol === name)?.reasons
  expect(reasonsFor('route')).toEqual([
    'exported',
    'complexity 3',
    '6 statements',
    'changed 9 times in the last 90 days',
    'imported by 1 file',
    'no test was found that calls it; tests reach app in src/app.ts, which does',
  ])
  expect(reasonsFor('draw')).toContain('changed in 7 of the last 1,000 commits')
  const first = rankCandidates({ files, manifests, history: history({ 'src/draw.ts': 1 }, {}, 1), limits })
  expect(first.candidates.find(({ symbol: name }) => name === 'draw')?.reasons).toContain('changed in the last commit')
  expect(reasonsFor('lost')).toEqual([
    'complexity 3',
    '6 statements',
    'changed once in the last 90 days',
    'no test was found that imports it, directly or through other files',
  ])
  expect(reasonsFor('app')).toContain('src/app.test.ts calls it')
})

test('names the symbol that tests come through', async () => {
  const { files, manifests } = await repository({
    'src/app.ts': `import { route } from './router'\nexport function app(a) { return route(a) }`,
    'src/router.ts': `export function route(a) { ${body} }`,
    'src/app.test.ts': `import { app } from './app'\ntest('x', () => app(1))`,
  })
  const [candidate] = rankCandidates({ files, manifests, history: history({}), limits }).candidates
  expect(candidate?.reasons.at(-1)).toBe('no test was found that calls it; tests reach app in src/app.ts, which does')
})

test('a history that is not known is null, not zero, and said so', () => {
  const files = [madeUpFile('src/a.ts', 'TypeScript', { symbols: [symbol('a', 5)] })]
  const [candidate] = rankCandidates({ files, history: unknown, limits }).candidates
  expect(candidate?.churn).toBeNull()
  expect(candidate?.reasons).toContain('its change history is not known')
})

test('measured coverage replaces the estimate, and a symbol with full coverage is not a candidate', () => {
  const files = [
    madeUpFile('src/half.ts', 'TypeScript', { symbols: [symbol('half', 5)] }),
    madeUpFile('src/whole.ts', 'TypeScript', { symbols: [symbol('whole', 50)] }),
    madeUpFile('src/other.ts', 'TypeScript', { symbols: [symbol('other', 2)] }),
  ]
  const { candidates, candidateCount } = rankCandidates({
    files,
    history: unknown,
    coverage: known({
      'src/half.ts': { covered: [[2, 2]], uncovered: [[3, 3]] },
      'src/whole.ts': { covered: [[2, 3]], uncovered: [] },
    }),
    limits,
  })
  expect(candidateCount).toBe(2)
  const half = candidates.find((candidate) => candidate.symbol === 'half')
  expect(half).toMatchObject({
    coverage: 0.5,
    coverageSource: 'measured',
    coverageCommit: 'abcdef0123',
    coverageBehind: 3,
    uncovered: [{ startLine: 3, endLine: 3 }],
  })
  expect(half?.reasons).toContain('tests run 1 of its 2 lines, not line 3')
  expect(half?.reasons).toContain('coverage measured 3 commits earlier, at abcdef0')
  expect(candidates.find((candidate) => candidate.symbol === 'other')?.coverageSource).toBe('estimated')
})

test('code with lines that no test runs comes before code that only misses branches', () => {
  const files = [
    madeUpFile('src/branches.ts', 'TypeScript', { symbols: [symbol('branches', 90)] }),
    madeUpFile('src/lines.ts', 'TypeScript', { symbols: [symbol('lines', 2)] }),
  ]
  const coverage = known({
    'src/branches.ts': { covered: [[1, 9]], uncovered: [], partialBranches: [{ line: 4, taken: 1, total: 2 }] },
    'src/lines.ts': { covered: [[1, 2]], uncovered: [[3, 3]] },
  })
  const { candidates } = rankCandidates({ files, history: unknown, coverage, limits })
  expect(candidates.map((candidate) => candidate.symbol)).toEqual(['lines', 'branches'])
  expect(candidates[1]?.reasons).toContain('tests run all of its lines, but not every branch of line 4')
})

test('a class is no candidate for lines that only its methods leave out', () => {
  const outer = { ...symbol('Cart', 8, 1), kind: 'class' as const, endLine: 20 }
  const method = { ...symbol('Cart.add', 5, 5), endLine: 9 }
  const files = [madeUpFile('src/cart.ts', 'TypeScript', { symbols: [outer, method] })]
  const coverage = known({ 'src/cart.ts': { covered: [[1, 6]], uncovered: [[7, 8]] } })
  const { candidates } = rankCandidates({ files, history: unknown, coverage, limits })
  expect(candidates.map((candidate) => candidate.symbol)).toEqual(['Cart.add'])
})

test('does not name one file twenty times', () => {
  const many = Array.from({ length: 30 }, (_, index) => symbol(`many${index}`, 20 - index / 10, index * 10 + 1))
  const files: SourceFile[] = [madeUpFile('src/big.ts', 'TypeScript', { symbols: many })]
  for (let index = 0; index < 20; index += 1) {
    files.push(madeUpFile(`src/small${index}.ts`, 'TypeScript', { symbols: [symbol(`small${index}`, 10)] }))
  }
  const { candidates } = rankCandidates({ files, history: unknown, limits })
  const top = candidates.slice(0, 20).map((candidate) => candidate.path)
  expect(top[0]).toBe('src/big.ts')
  expect(top.filter((path) => path === 'src/big.ts').length).toBeLessThan(10)
  const scores = candidates.map((candidate) => candidate.score)
  expect(scores).toEqual(scores.toSorted((a, b) => b - a))
})

test('a class is its methods, unless it branches itself', async () => {
  const { files, manifests } = await repository({
    'app/models.py': `class Plain:
    def run(self, a):
        if a:
            return 1
        return 2

class Branching:
    if DEBUG:
        level = 1
    elif TEST:
        level = 2
`,
  })
  const { candidates } = rankCandidates({ files, manifests, history: unknown, limits })
  expect(candidates.map((candidate) => candidate.symbol).toSorted()).toEqual(['Branching', 'Plain.run'])
})

test('leaves out tests, vendored code, documentation, configuration and type declarations', () => {
  const paths = ['src/a.test.ts', 'vendor/lib/a.ts', 'docs/a.ts', 'vite.config.ts', 'src/types.d.ts', 'src/a.ts']
  const files = paths.map((path) => madeUpFile(path, 'TypeScript', { symbols: [symbol('x', 9)] }))
  const { candidates } = rankCandidates({ files, history: unknown, limits })
  expect(candidates.map((candidate) => candidate.path)).toEqual(['src/a.ts'])
})

test('names the tests that come closest, best first', async () => {
  const { files, manifests } = await repository({
    'src/parse.ts': `export function parse(a) { ${body} }\nexport function scan(a) { ${body} }`,
    'src/parse.test.ts': `import { parse } from './parse'\ntest('x', () => parse(1))`,
    'test/other.test.ts': `import { scan } from '../src/parse'\ntest('x', () => scan(1))`,
  })
  const { candidates } = rankCandidates({ files, manifests, history: unknown, limits })
  const testsOf = (name: string) => candidates.find((candidate) => candidate.symbol === name)?.nearestTests
  expect(testsOf('parse')).toEqual(['src/parse.test.ts', 'test/other.test.ts'])
  expect(testsOf('scan')).toEqual(['test/other.test.ts', 'src/parse.test.ts'])
})

test('gives the same answer whatever happens, and no more than asked for', async () => {
  const { files, manifests } = await repository({
    'src/b.ts': `export function same(a) { ${body} }`,
    'src/a.ts': `export function same(a) { ${body} }\nexport function __proto__(a) { ${body} }\nexport function constructor(a) { ${body} }`,
  })
  const once = rankCandidates({ files, manifests, history: unknown, limits })
  expect(rankCandidates({ files, manifests, history: unknown, limits })).toEqual(once)
  expect(once.candidates.map(({ path, symbol: name }) => `${path} ${name}`)).toEqual([
    'src/a.ts same',
    'src/b.ts same',
    'src/a.ts __proto__',
    'src/a.ts constructor',
  ])
  const cut = rankCandidates({ files, manifests, history: unknown, limits: { maxCandidates: 1 } })
  expect(cut).toMatchObject({ candidates: once.candidates.slice(0, 1), candidateCount: 4 })
})

test('an empty repository, and one without tests, are ranked too', () => {
  expect(rankCandidates({ files: [], history: unknown, limits })).toMatchObject({ candidates: [], candidateCount: 0 })
  const files = [madeUpFile('a.py', 'Python', { symbols: [symbol('a', 3)] }), { path: 'b.bin', language: 'Binary' }]
  expect(rankCandidates({ files, history: unknown, limits }).candidates).toHaveLength(1)
})

test('ranks five thousand files that all refer to each other', () => {
  const count = 5_000
  const files = Array.from({ length: count }, (_, index) => {
    const isTest = index % 4 === 0
    return madeUpFile(isTest ? `test/part${index + 1}.test.ts` : `src/part${index}.ts`, 'TypeScript', {
      symbols: Array.from({ length: isTest ? 0 : 8 }, (_, at) => symbol(`f${index}_${at}`, at + 1, at * 10 + 1)),
      exports: Array.from({ length: 8 }, (_, at) => ({ name: `f${index}_${at}` })),
      imports: Array.from({ length: 8 }, (_, at) => {
        const to = (index * 13 + at * 7 + 1) % count
        return { specifier: `${isTest ? '../src' : '.'}/part${to}`, names: [`f${to}_${at}`] }
      }),
      references: Array.from({ length: 100 }, (_, at) => `f${(index * 13 + at * 7 + 1) % count}_${at % 8}`),
    })
  })
  const { candidates, candidateCount } = rankCandidates({ files, history: unknown, limits })
  expect([candidates.length, candidateCount]).toEqual([1_000, 26_250])
})

function known(files: Record<string, Partial<CarriedFile>>): KnownCoverage {
  const whole = { covered: [], uncovered: [], partialBranches: null, changed: [] }
  return {
    commitSha: 'abcdef0123',
    behind: 3,
    files: new Map(Object.entries(files).map(([path, file]) => [path, { ...whole, ...file }])),
    changedFiles: 0,
    goneFiles: 0,
  }
}

test('ranking a file with very many symbols takes linear time with coverage', async () => {
  const rank = (count: number) => {
    const symbols = Array.from({ length: count }, (_, at): SymbolFact => {
      const line = at * 3 + 1
      const place = { startLine: line, endLine: line + 2 }
      return { name: `f${at}`, kind: 'function', ...place, complexity: 2, exported: true, statements: 2 }
    })
    const files = [madeUpFile('src/a.js', 'JavaScript', { symbols })]
    const coverage = known({ 'src/a.js': { covered: [[1, 1]], uncovered: [[2, 2]] } })
    return rankCandidates({ files, history: unknown, coverage, limits })
  }
  await expectLinear(
    (size) => 'x'.repeat(size),
    32_000,
    ({ length }) => rank(length),
  )
})
