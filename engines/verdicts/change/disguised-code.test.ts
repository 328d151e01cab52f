import { expect, test } from 'vitest'
import { changedFiles } from './changed-files.ts'
import { findImported, withEditedByHand, withImportedCode } from './disguised-code.ts'

const edited = (...paths: string[]) =>
  changedFiles({
    changed: new Map(paths.map((path) => [path, { before: path, hunks: [] }])),
    added: new Set(),
    gone: new Set(),
  })

async function kindsOf(changed: string[], repository: Record<string, string>) {
  const readMany = async function* (paths: readonly string[]) {
    for (const path of paths) yield await Promise.resolve({ path, code: repository[path] ?? '' })
  }
  const files = edited(...changed)
  const importers = await findImported(files, Object.keys(repository), readMany)
  const judged = withImportedCode(files, importers, new Map(Object.entries(repository)))
  return judged.map(({ path, kind, importedBy }) => `${path} ${kind}${importedBy ? ` ${importedBy}` : ''}`)
}

test.for([
  ['src/rules.spec.js', 'src/app.js', "import { isAllowed } from './rules.spec.js'"],
  ['src/spec/roles.js', 'src/app.js', "export { isAdmin } from './spec/roles'"],
  ['src/tests/score.js', 'src/app.cjs', "const { score } = require('./tests/score')"],
  ['src/test-utils/index.ts', 'src/app.ts', "import { format } from './test-utils'"],
  ['src/ab_test.py', 'src/app.py', 'from .ab_test import choose'],
] as const)('%s is code if %s imports it', async ([path, importer, code]) => {
  const repository = { [path]: 'x', [importer]: code }
  expect(await kindsOf([path], repository)).toEqual([`${path} code`])
  const [kept] = await kindsOf([path], { ...repository, [importer]: '' })
  expect(kept).toMatch(/ test(?:_support)?$/)
})

test('a helper that only tests import stays one, also through other helpers, and types are no code', async () => {
  const repository = {
    'test/helpers/cart.ts': 'export const cart = []',
    'test/helpers/index.ts': "export * from './cart.ts'",
    'test/cart.test.ts': "import { cart } from './helpers/index.ts'\ntest('a', () => {})",
    'src/app.ts': "import type { Cart } from '../test/helpers/index.ts'",
    'src/Cart.stories.ts': "import { cart } from '../test/helpers/index.ts'",
  }
  const changed = ['test/cart.test.ts', 'test/helpers/cart.ts']
  expect(await kindsOf(changed, repository)).toEqual(['test/cart.test.ts test', 'test/helpers/cart.ts test_support'])
  const used = { ...repository, 'src/app.ts': "import { cart } from '../test/helpers/index.ts'" }
  expect(await kindsOf(changed, used)).toEqual(['test/cart.test.ts test', 'test/helpers/cart.ts code'])
})

test('a file with tests that code imports stays a test, and names the code', async () => {
  const repository = {
    'test/all.spec.js': "export const x = 1\ntest('a', () => {})",
    'src/app.js': "import { x } from '../test/all.spec.js'",
  }
  expect(await kindsOf(['test/all.spec.js'], repository)).toEqual(['test/all.spec.js test src/app.js'])
})

test('a file with the name of a generated one that was edited by hand is code', () => {
  const kinds = (sources: Record<string, string>, ...others: string[]) =>
    withEditedByHand(edited(...Object.keys(sources), ...others), new Map(Object.entries(sources))).map(
      ({ path, kind }) => `${path} ${kind}`,
    )
  const code = 'export const isAdmin = (role) => role === 1\n'
  expect(kinds({ 'src/roles.generated.js': code })).toEqual(['src/roles.generated.js code'])
  expect(kinds({ 'src/roles.generated.js': code }, 'README.md')[1]).toBe('src/roles.generated.js code')
  expect(kinds({ 'src/roles.generated.js': `// @generated\n${code}` })).toEqual(['src/roles.generated.js other'])
  expect(kinds({ 'src/roles.generated.js': code }, 'roles.graphql')[1]).toBe('src/roles.generated.js other')
  const many = Object.fromEntries('abcdef'.split('').map((name) => [`src/${name}.generated.js`, code]))
  expect(new Set(kinds(many).map((one) => one.split(' ')[1]))).toEqual(new Set(['other']))
})
