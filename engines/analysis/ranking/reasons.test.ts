import { expect, test } from 'vitest'
import type { History } from '../../source/types.ts'
import { repository } from '../graph/testing/repository.ts'
import { rankCandidates } from './rank-candidates.ts'

const history: History = { commits: 0, changes: new Map(), recentChanges: new Map() }
const body = 'let r = a; if (a > 1) { r = 2 } if (a > 2) { r = 3 } return r'

/** The last reason of each candidate. */
async function reasonsOf(sources: Record<string, string>) {
  const { files, manifests } = await repository(sources)
  const { candidates } = rankCandidates({ files, manifests, history, limits: { maxCandidates: 1_000 } })
  return Object.fromEntries(candidates.map(({ symbol, reasons }) => [symbol, reasons.at(-1)]))
}

test('a reason says what was found, and never that nothing reaches a symbol', async () => {
  const reasons = await reasonsOf({
    'src/app.ts': `import { Menu, Bar } from './menu'
export function app(a) { return new Menu().open(a) }
export function idle(a) { ${body} }
export function early(a) { ${body} }
export const first = early(1)
export class Table { run(kind) { return this['on' + kind]() } onAdd(a) { ${body} } get size() { ${body} } }
export function made(a) { return { show(b) { ${body} } } }
`,
    'src/menu.ts': `export class Menu { open(a) { ${body} } close(a) { ${body} } }
export class Bar { close(a) { ${body} } }
function hidden(a) { ${body} }
`,
    'src/lost.ts': `export function lost(a) { ${body} }`,
    'src/server.ts': `export function serve(a) { ${body} }`,
    'test/app.test.ts': `import { app, Table, made } from '../src/app'
test('x', () => { app(1); new Table().run('Add'); made(1); something.close() })`,
    'test/server.test.ts': `test('x', () => fetch('http://localhost'))`,
  })
  expect(reasons).toEqual({
    idle: 'no caller of it was found, though test/app.test.ts loads its file',
    early: 'code that tests load uses it',
    'Table.onAdd': 'no call of it was found by its name; Table.run, which tests reach, calls members by computed names',
    'Table.size': 'it can run without a call of its name, perhaps with Table.run, which tests reach',
    made: 'test/app.test.ts calls it',
    'made.show': 'can be reached through made, which test/app.test.ts calls',
    'Menu.open': 'no test was found that calls it; tests reach app in src/app.ts, which does',
    'Menu.close': 'tests reach a call with this name, but Assay cannot tell whether it means this symbol',
    'Bar.close': 'tests reach a call with this name, but Assay cannot tell whether it means this symbol',
    hidden: 'no test was found that imports it; tests reach its file through src/app.ts',
    lost: 'no test was found that imports it, directly or through other files',
    serve: 'no caller of it was found, though test/server.test.ts is named after its file',
  })
})

test('what is module.exports has the name of its file, and a call of an equal name on a global is no call of it', async () => {
  const sources = {
    'package.json': '{ "main": "lib/index.js" }',
    'lib/index.js': `var stringify = require('./stringify')\nmodule.exports = { parse: require('./parse'), stringify: stringify }`,
    'lib/parse.js': `function values(a) { ${body} }\nmodule.exports = function (a) { values(a); ${body} }`,
    'lib/stringify.js': `function keys(a) { ${body} }\nmodule.exports = (a) => { keys(a); ${body} }`,
    'lib/side-effect.js': `function side(a) { ${body} }\nmodule.exports = class { run(a) { side(a); ${body} } }`,
    'lib/format.js': `function format(a) { ${body} }\nmodule.exports = function (a) { format(a); ${body} }`,
    'test/parse.js': `var qs = require('../')\ntest('x', () => qs.parse(JSON.stringify({})))`,
    'test/format.js': `var format = require('../lib/format')\ntest('x', () => { format(1) })`,
  }
  const reasons = await reasonsOf(sources)
  expect(reasons).toMatchObject({
    parse: 'test/parse.js calls it',
    values: 'can be reached through parse, which test/parse.js calls',
    stringify: 'no test was found that imports it; tests reach its file through lib/index.js',
    keys: 'no test was found that imports it; tests reach its file through lib/index.js',
    'sideEffect.run': 'no test was found that imports it, directly or through other files',
    side: 'no test was found that imports it, directly or through other files',
    default: 'test/format.js calls it',
    format: 'can be reached through the default export, which test/format.js calls',
  })
})

test('a Go test that makes a value of a type and calls something of the name of a method uses it', async () => {
  const method = (type: string) =>
    `func (r *${type}) Match(a int) int {\n\tif a > 1 {\n\t\treturn 1\n\t}\n\treturn 2\n}\n`
  const reasons = await reasonsOf({
    'go.mod': 'module example.com/m\n',
    'router.go': `package m\n\ntype Router struct{}\n\nfunc NewRouter() *Router { return &Router{} }\n\n${method('Router')}`,
    'route.go': `package m\n\ntype Route struct{}\n\n${method('Route')}`,
    'router_test.go':
      'package m\n\nimport "testing"\n\nfunc TestMatch(t *testing.T) {\n\tr := NewRouter()\n\tr.Match(1)\n}\n',
  })
  expect(reasons['Router.Match']).toBe('router_test.go uses Router and calls something named Match')
  expect(reasons['Route.Match']).toContain('cannot tell')
})

test('helpers of tests in a folder named testing are no candidates, and product code in such a folder is', async () => {
  const reasons = await reasonsOf({
    'src/pool.ts': `export function pool(a) { ${body} }`,
    'src/testing/probe.ts': `export function work(a) { ${body} }`,
    'src/testing/start.ts': `import { inner } from './inner'\nexport function start(a) { inner(a); ${body} }`,
    'src/testing/inner.ts': `export function inner(a) { ${body} }`,
    'src/testing/shared.ts': `export function shared(a) { ${body} }`,
    'src/testing/public.ts': `export function offered(a) { ${body} }`,
    'src/testing/client.ts': `export function client(a) { ${body} }`,
    'src/testing/client.test.ts': `import { client } from './client'\ntest('x', () => client(1))`,
    'src/app.ts': `import { shared } from './testing/shared'\nexport function app(a) { shared(a); ${body} }`,
    'src/pool.test.ts': `import type { work } from './testing/probe'
import { start } from './testing/start'
import { shared } from './testing/shared'
import { pool } from './pool'
const task = new URL('./testing/probe.ts', import.meta.url)
test('x', () => { start(1); shared(1); pool(task) })`,
  })
  expect(Object.keys(reasons).toSorted()).toEqual(['app', 'client', 'offered', 'pool', 'shared'])
})

test('files of a package use each other without imports', async () => {
  const { files, manifests } = await repository({
    'go.mod': 'module example.com/m\n',
    'a.go': 'package m\n\nfunc Run(a int) int {\n\tif a > 1 {\n\t\treturn 1\n\t}\n\treturn 2\n}\n',
    'b.go': 'package m\n\nfunc Use() int {\n\treturn Run(1)\n}\n',
  })
  const [first] = rankCandidates({ files, manifests, history, limits: { maxCandidates: 1 } }).candidates
  expect(first?.reasons).toContain('used by 1 file')
})

test('says nothing of the tests of a file that its coverage contradicts', async () => {
  const { files, manifests } = await repository({
    'package.json': '{}',
    'src/price.js': `export function price(a) { ${body} }\nexport function added(a) { ${body} }`,
  })
  const file = { covered: [[1, 1]], uncovered: [], partialBranches: null, changed: [[2, 2]] } as const
  const coverage = {
    commitSha: 'c'.repeat(40),
    behind: 1,
    files: new Map([['src/price.js', file]]),
    changedFiles: 1,
    goneFiles: 0,
  }
  const { candidates } = rankCandidates({ files, manifests, history, coverage, limits: { maxCandidates: 10 } })
  expect(candidates.find(({ symbol }) => symbol === 'added')?.reasons.at(-1)).toBe(
    'no call of it was found; tests run other lines of its file',
  )
})

test('an entry that may run without a call, or be meant by one, is not said to be reached', async () => {
  const reasons = await reasonsOf({
    'src/cart.js': `export class Cart {
  get total() { return this.#sum(1) }
  set discount(a) { this.#apply(a); ${body} }
  close(a) { this.#end(a); ${body} }
  #sum(a) { ${body} }
  #apply(a) { ${body} }
  #end(a) { ${body} }
}
export class Other { close(a) { this.#stop(a); ${body} } #stop(a) { ${body} } }
`,
    'test/cart.test.js': `import { Cart } from '../src/cart.js'
test('x', () => { const cart = new Cart(); expect(cart.total).toBe(1); something.close() })`,
  })
  expect(reasons).toMatchObject({
    'Cart.#apply': 'can be reached through Cart.discount, which may run with Cart, which tests reach',
    'Other.#stop': 'can be reached through Other.close, which tests may reach',
  })
})
