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
    early: 'code at the top level of a module that tests load uses it',
    'Table.onAdd': 'no call of it was found by its name; Table.run, which tests reach, calls members by computed names',
    'Table.size': 'no call of it was found; it may run with Table.run, which tests reach',
    made: 'test/app.test.ts calls it',
    'made.show': 'reached through made, which test/app.test.ts calls',
    'Menu.open': 'no test was found that calls it; tests reach app in src/app.ts, which does',
    'Menu.close': 'tests reach a call with this name, but Assay cannot tell whether it means this symbol',
    'Bar.close': 'tests reach a call with this name, but Assay cannot tell whether it means this symbol',
    hidden: 'no test was found that imports it; tests reach its file through src/app.ts',
    lost: 'no test was found that imports it, directly or through other files',
    serve: 'no caller of it was found, though test/server.test.ts is named after its file',
  })
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
