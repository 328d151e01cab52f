import { expect, test } from 'vitest'
import type { CarriedFile } from '../../coverage/carry-over.ts'
import type { History } from '../../source/types.ts'
import { repository } from '../graph/testing/repository.ts'
import type { KnownCoverage } from '../types.ts'
import { rankCandidates } from './rank-candidates.ts'

const limits = { maxCandidates: 1_000 }
const history: History = { commits: 0, changes: new Map(), recentChanges: new Map() }
const body = 'let r = a; if (a > 1) { r = 2 } if (a > 2) { r = 3 } return r'

async function candidatesOf(sources: Record<string, string>, coverage?: KnownCoverage) {
  const { files, manifests } = await repository(sources)
  const { candidates } = rankCandidates({ files, manifests, history, coverage, limits })
  return candidates
}

/** The public entry of each candidate, as `path symbol`. */
async function entriesOf(sources: Record<string, string>) {
  const candidates = await candidatesOf(sources)
  return Object.fromEntries(
    candidates.map(({ symbol, through }) => [symbol, through && `${through.path} ${through.symbol}`]),
  )
}

const queue = `export class Queue {
  #items = []
  add(a) { this.#start(a); ${body} }
  clear(a) { ${body} }
  #start(a) { this.#next(a); ${body} }
  #next(a) { helper(a); ${body} }
  #lost(a) { ${body} }
}
function helper(a) { ${body} }
function alone(a) { ${body} }
`

test('an entry reads no member by a computed name, and one that calls such members comes last', async () => {
  const entries = await entriesOf({
    'src/command.js': `export class Command {
  get(key) { ${body}; return this[key] }
  set(key, value) { ${body}; this[key] = value }
  keep(key) { const value = this[key]; ${body}; return value }
  fire(key) { const listener = this[key]; ${body}; return listener(1) }
  emit(key) { ${body}; return this[key](1) }
  parse(a) { this._run(a); ${body} }
  _run(a) { this._check(a); ${body} }
  _check(a) { ${body} }
  _idle(a) { ${body} }
}
export class Table {
  get(key) { ${body}; return this[key] }
  _idle(a) { ${body} }
}
export class Late {
  handle(key) { const handler = this[key]; ${body}; return handler.call(this, 1) }
  _late(a) { ${body} }
}`,
    'shop/table.py': `class Table:
    def get(self, key):
        if key:
            return getattr(self, key)
        return 1
    def run(self, key):
        method = getattr(self, key)
        if key:
            return method()
        return 1
    def _idle(self, a):
        if a:
            return 2
        return 1

class Cold:
    def get(self, key):
        if key:
            return getattr(self, key)
        return 1
    def _cold(self, a):
        if a:
            return 2
        return 1
`,
    'test/command.test.js': `import { Command, Table } from '../src/command.js'
test('x', () => { new Command().get('x'); new Command().fire('x'); new Command().parse(); new Table().get('x') })`,
  })
  expect(entries['Command._check']).toBe('src/command.js Command.parse')
  expect(entries['Command._idle']).toBe('src/command.js Command.fire')
  expect(entries['Late._late']).toBe('src/command.js Late.handle')
  expect(entries['Table._idle']).toBe('shop/table.py Table.run')
  expect(entries['Cold._cold']).toBeUndefined()
})

test('a private symbol names the public entry that reaches it, over several calls', async () => {
  const candidates = await candidatesOf({
    'src/queue.js': queue,
    'test/queue.test.js': `import { Queue } from '../src/queue.js'\ntest('x', () => { new Queue().add(1); new Queue().clear() })`,
  })
  const of = (symbol: string) => candidates.find((candidate) => candidate.symbol === symbol)
  const add = { path: 'src/queue.js', symbol: 'Queue.add', startLine: 3, endLine: 3 }
  expect(of('Queue.#start')).toMatchObject({ path: 'src/queue.js', startLine: 5, endLine: 5, through: add })
  expect(of('Queue.#next')?.through).toEqual(add)
  expect(of('helper')?.through).toEqual(add)
  expect(of('helper')?.reasons.at(-1)).toBe('can be reached through Queue.add, which test/queue.test.js calls')
  // Public ones are entries themselves; what no public one reaches stays as it is.
  expect(of('Queue.add')?.through).toBeUndefined()
  expect(of('Queue.#lost')?.through).toBeUndefined()
  expect(of('alone')?.through).toBeUndefined()
  expect(of('alone')?.reasons.at(-1)).toBe('no caller of it was found, though test/queue.test.js loads its file')
})

test('prefers a method of the same class, then what tests call, and finds entries in other files', async () => {
  expect(
    await entriesOf({
      'src/store.ts': `export class Store {
  private load(a) { ${body} }
  private keep(a) { ${body} }
  open(a) { this.load(a); ${body} }
}
export function preload(a) { new Store().load(a); ${body} }
export function untested(a) { shared(a); ${body} }
export function tested(a) { shared(a); ${body} }
function shared(a) { ${body} }
`,
      'src/user.ts': `import { Store } from './store'\nexport function use(a) { new Store().keep(a); ${body} }`,
      'test/store.test.ts': `import { Store, tested, preload } from '../src/store'\nimport { use } from '../src/user'\ntest('x', () => { preload(1); new Store().open(); tested(1); use(1) })`,
    }),
  ).toMatchObject({
    'Store.load': 'src/store.ts Store.open',
    'Store.keep': 'src/user.ts use',
    shared: 'src/store.ts tested',
  })
})

test('finds the entries of Python, Go and Rust', async () => {
  expect(
    await entriesOf({
      'kit/text.py': `def trim(a):
    return _trim(a)

def _trim(a):
    if a:
        return 1
    return getattr(Parser(), "x")

class Parser:
    def __init__(self, a):
        self._prepare(a)

    def _prepare(self, a):
        if a:
            return 1
        return 2

    def run(self, kind):
        return getattr(self, f"_run_{kind}")()

    def _run_all(self):
        if self.x:
            return 1
        return 2
`,
      'go.mod': 'module example.com/m\n',
      'a.go': 'package m\n\nfunc Run(a int) int {\n\treturn step(a)\n}\n',
      'b.go':
        'package m\n\ntype box struct{}\n\nfunc step(a int) int {\n\tif a > 1 {\n\t\treturn box{}.open(a)\n\t}\n\treturn 2\n}\n\nfunc (b box) open(a int) int {\n\tif a > 1 {\n\t\treturn 1\n\t}\n\treturn 2\n}\n',
      'Cargo.toml': '[package]\nname = "kit"',
      'src/lib.rs': 'pub fn area(a: u8) -> u8 { inner(a) }\nfn inner(a: u8) -> u8 { if a > 1 { 1 } else { 2 } }\n',
    }),
  ).toMatchObject({
    _trim: 'kit/text.py trim',
    'Parser._prepare': 'kit/text.py Parser.__init__',
    'Parser._run_all': 'kit/text.py Parser.run',
    step: 'a.go Run',
    'box.open': 'a.go Run',
    inner: 'src/lib.rs area',
  })
})

test('functions inside a function are no candidates, and their branches and lines count for it', async () => {
  const sources = {
    'src/plan.ts': `export function plan(a) {
  const inner = (b) => {
    if (b) return 1
    return 2
  }
  function other(b) {
    if (b) return 3
    return 4
  }
  return { total(c) { if (c) return inner(c); return other(c) } }
}
export function flat(a) {
  return [a]
}
`,
    'src/plan.test.ts': `import { plan } from './plan'\ntest('x', () => plan(1))`,
  }
  const candidates = await candidatesOf(sources)
  expect(candidates.map(({ symbol }) => symbol).toSorted()).toEqual(['plan', 'plan.total'])
  const of = (symbol: string) => candidates.find((candidate) => candidate.symbol === symbol)
  expect(of('plan')?.complexity).toBe(3)
  expect(of('plan.total')?.through?.symbol).toBe('plan')
  const measured = await candidatesOf(
    sources,
    known({
      'src/plan.ts': {
        covered: [
          [1, 3],
          [5, 13],
        ],
        uncovered: [[4, 4]],
      },
    }),
  )
  expect(measured.map(({ symbol, uncovered }) => [symbol, uncovered])).toEqual([
    ['plan', [{ startLine: 4, endLine: 4 }]],
  ])
})

test('the first ten do not name one entry ten times', async () => {
  const branches = (count: number) => '\tif a > 1 {\n\t\ta = 2\n\t}\n'.repeat(count)
  const names = Array.from({ length: 20 }, (_, index) => index)
  const candidates = await candidatesOf({
    'go.mod': 'module example.com/m\n',
    'big.go': `package m\n\nfunc Big(a int) {\n${names.map((name) => `\tpart${name}(a)\n`).join('')}}\n`,
    ...Object.fromEntries(
      names.map((name) => [`part${name}.go`, `package m\n\nfunc part${name}(a int) {\n${branches(6)}}\n`]),
    ),
    ...Object.fromEntries(
      names.map((name) => [`small${name}.go`, `package m\n\nfunc Small${name}(a int) {\n${branches(4)}}\n`]),
    ),
  })
  const first = candidates.slice(0, 10).map(({ symbol, through }) => through?.symbol ?? symbol)
  expect(first.filter((symbol) => symbol === 'Big').length).toBeLessThan(8)
})

test('what is beside the product comes after all of it, and is not lost', async () => {
  const large = `${body}; ${body.replaceAll('let r', 'r').repeat(20)}`
  const small = Object.fromEntries(
    Array.from({ length: 25 }, (_, index) => [`src/a${index}.ts`, `export function a${index}(a) { ${body} }`]),
  )
  const candidates = await candidatesOf({
    ...small,
    'examples/show.ts': `export function show(a) { ${large} }`,
    'benchmarks/fast.ts': `export function fast(a) { ${large} }`,
    'playground/main.ts': `export function play(a) { ${large} }`,
    'scripts/release.ts': `export function release(a) { ${large} }`,
    'tools/check.ts': `export function check(a) { ${large} }`,
    'tests/check.test.ts': `import { check } from '../tools/check'\ntest('x', () => check(1))`,
    'src/index.ts': Object.keys(small)
      .map((path) => `export * from './${path.slice(4, -3)}'`)
      .join('\n'),
    'src/types.ts':
      'export interface Options { a: string }\nexport type Name = string\nexport declare function hidden(): void',
  })
  const beside = ['show', 'fast', 'play', 'release']
  const names = candidates.map(({ symbol }) => symbol)
  expect(names.slice(-4).toSorted()).toEqual(beside.toSorted())
  expect(names.indexOf('check')).toBeLessThan(26)
  expect(names).toHaveLength(30)
})

test('symbols with lines that no test runs come before all others of the product', async () => {
  const sources: Record<string, string> = {}
  const lines: Parameters<typeof known>[0] = {}
  for (let index = 0; index < 40; index += 1) {
    const path = `src/a${index}.ts`
    sources[path] =
      `export function a${index}(a) {\n  if (a) {\n${'    a.x()\n'.repeat(40 - index)}  }\n  return a\n}\n`
    // Every fourth has a gap; the others only miss a branch, or have changed lines.
    lines[path] =
      index % 4 === 0
        ? { covered: [[1, 2]], uncovered: [[3, 3]] }
        : index % 4 === 1
          ? { covered: [[1, 3]], uncovered: [], changed: [[4, 4]] }
          : { covered: [[1, 5]], uncovered: [], partialBranches: [{ line: 2, taken: 1, total: 2 }] }
  }
  sources['examples/big.ts'] = sources['src/a0.ts']?.replace('a0', 'big') ?? ''
  lines['examples/big.ts'] = { covered: [], uncovered: [[1, 20]] }
  const candidates = await candidatesOf(sources, known(lines))
  const gaps = candidates.map(({ uncovered = [], changed = [] }) =>
    uncovered.length > 0 ? 'lines' : changed.length > 0 ? 'changed' : 'branches',
  )
  expect(candidates).toHaveLength(41)
  expect(gaps.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 'lines'))
  expect(gaps.slice(10, 20)).toEqual(Array.from({ length: 10 }, () => 'changed'))
  expect(gaps.slice(20, 40)).toEqual(Array.from({ length: 20 }, () => 'branches'))
  expect(candidates.at(-1)?.path).toBe('examples/big.ts')
})

function known(files: Record<string, Partial<CarriedFile>>): KnownCoverage {
  return {
    commitSha: 'a'.repeat(40),
    behind: 0,
    changedFiles: 0,
    goneFiles: 0,
    files: new Map(
      Object.entries(files).map(([path, lines]) => [
        path,
        { covered: [], uncovered: [], partialBranches: null, changed: [], ...lines },
      ]),
    ),
  }
}

test('members of one name in several classes are told apart', async () => {
  const method = (name: string, call = '') => `  ${name}(a) { ${call}; ${body} }`
  const classOf = (name: string, ...methods: string[]) => [`export class ${name} {`, ...methods, '}'].join('\n')
  const lines = [
    classOf('A', method('run', 'this._step(a)'), method('_step', 'this._reset(a)'), method('_reset'), method('#hide')),
    classOf('B', method('start', 'this._reset(a); this.helper(a)'), method('_reset'), method('helper')),
    classOf('C', method('begin', 'this.#hide(a)'), method('#hide')),
    classOf('Base', method('go', 'this._part(a)'), method('_part')),
    classOf('Sub extends Base', method('_part')),
    `export function parse(a) { JSON._read(a); helper(a); ${body} }`,
    `function helper(a) { ${body} }`,
    `function _read(a) { ${body} }`,
  ]
  expect(
    await entriesOf({
      'src/a.js': lines.join('\n'),
      'src/b.js': `import { A } from './a.js'\nexport function other(a) { new A(); _read(a); ${body} }`,
      'test/a.test.js': `import { A, B, C, Sub, parse } from '../src/a.js'\nimport { other } from '../src/b.js'
test('x', () => { new B().start(1); new A().run(1); new C().begin(); new Sub().go(); parse(1); other(1) })`,
    }),
  ).toMatchObject({
    'A._reset': 'src/a.js A.run',
    'B._reset': 'src/a.js B.start',
    'A.#hide': undefined,
    'C.#hide': 'src/a.js C.begin',
    'Base._part': 'src/a.js Base.go',
    'Sub._part': 'src/a.js Base.go',
    helper: 'src/a.js parse',
    _read: undefined,
  })
})
