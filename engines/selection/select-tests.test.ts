import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { selectionFor, told, vitestProject } from './testing.ts'

const testOf = (source: string, more = '') =>
  `import { expect, test } from 'vitest'\nimport { value } from '${source}'\n${more}test('is one', () => expect(value).toBe(1))\n`

const project = {
  ...vitestProject(),
  'src/deep.ts': 'export const value = 1\n',
  'src/high.ts': "export { value } from './deep.ts'\n",
  'src/other.ts': 'export const value = 1\n',
  'test/deep.test.ts': testOf('../src/deep.ts'),
  'test/high.test.ts': testOf('../src/high.ts'),
  'test/other.test.ts': testOf('../src/other.ts'),
}

test('selects the tests that import a changed file, nearest first, with the way to it', async () => {
  const selection = await selectionFor(project, { 'src/deep.ts': 'export const value = 2\n' })
  expect(told(selection)).toEqual([
    'test/deep.test.ts uses src/deep.ts',
    'test/high.test.ts uses src/high.ts -> src/deep.ts',
    'not test/other.test.ts: uses nothing that changed',
  ])
  expect(selection.counts).toEqual({ all: 3, selected: 2, skipped: 1, cut: 0 })
})

test('selects changed and new tests', async () => {
  const change = {
    'test/other.test.ts': `${testOf('../src/other.ts')}\n`,
    'test/new.test.ts': testOf('../src/other.ts'),
  }
  expect(told(await selectionFor(project, change)).slice(0, 2)).toEqual([
    'test/new.test.ts is new',
    'test/other.test.ts changed',
  ])
})

test('selects the tests that import a file which is gone', async () => {
  expect(told(await selectionFor(project, { 'src/other.ts': null }))).toContain('test/other.test.ts uses src/other.ts')
})

test('selects tests that failed, are flaky or always run, though nothing that they use changed', async () => {
  const history = new Map([
    ['test/deep.test.ts', { hasFailed: true }],
    ['test/high.test.ts', { isFlaky: true }],
  ])
  const selection = await selectionFor(project, { 'README.md': 'Hello.\n' }, { history, alwaysRun: ['test/oth*'] })
  expect(told(selection)).toEqual([
    'test/deep.test.ts failed lately',
    'test/high.test.ts is flaky',
    'test/other.test.ts always runs, by setting',
  ])
  const quiet = { 'README.md': 'Hello.\n', 'lcov.info': 'TN:\n', 'junit.xml': '<testsuites/>\n' }
  expect(told(await selectionFor(project, quiet))).toEqual([
    'not test/deep.test.ts: uses nothing that changed',
    'not test/high.test.ts: uses nothing that changed',
    'not test/other.test.ts: uses nothing that changed',
  ])
})

test.each([
  ['package-lock.json', '{}\n', 'is a lockfile'],
  ['packages/a/package.json', '{}\n', 'is a manifest'],
  ['vitest.config.ts', 'export default {}\n', 'is a configuration of compilers or runners'],
  ['tsconfig.json', '{}\n', 'is a configuration of compilers or runners'],
  ['.github/workflows/ci.yml', 'on: push\n', 'is a file of CI'],
  ['db/migrations/001_users.ts', 'export const up = 1\n', 'is a migration or schema'],
  ['Dockerfile', 'FROM scratch\n', 'is a file of the environment'],
  ['.env.test', 'A=1\n', 'is a file of the environment'],
])('runs all tests for %s', async (path, content, why) => {
  expect(told(await selectionFor(project, { [path]: content }))).toEqual([`all: ${path} ${why}`])
})

test('runs all tests for a setup file, and for what a setup file imports', async () => {
  const files = {
    ...project,
    'vitest.config.ts': "export default { test: { setupFiles: ['./test/setup.ts'] } }\n",
    'test/setup.ts': "import './clock.ts'\n",
    'test/clock.ts': 'export const now = 1\n',
  }
  expect(told(await selectionFor(files, { 'test/setup.ts': '// new\n' }))).toEqual([
    'all: the runner loads test/setup.ts',
  ])
  expect(told(await selectionFor(files, { 'test/clock.ts': 'export const now = 2\n' }))).toEqual([
    'all: test/setup.ts, which the runner loads, uses test/clock.ts',
  ])
})

test('counts a data file as imported by the files that name it, or the folder that it is in', async () => {
  const files = {
    ...project,
    'src/other.ts':
      "import { readFileSync } from 'node:fs'\nexport const value = readFileSync('data/one.csv').length\n",
    'test/high.test.ts': testOf(
      '../src/high.ts',
      "import { readdirSync } from 'node:fs'\nreaddirSync(new URL('./cases', import.meta.url))\n",
    ),
    'data/one.csv': '1\n',
    'test/cases/a.txt': 'a\n',
    'stray/b.bin': 'b\n',
  }
  expect(told(await selectionFor(files, { 'data/one.csv': '2\n' }))).toEqual([
    'test/other.test.ts uses src/other.ts -> data/one.csv',
    'not test/deep.test.ts: uses nothing that changed',
    'not test/high.test.ts: uses nothing that changed',
  ])
  expect(told(await selectionFor(files, { 'test/cases/b.txt': 'b\n' }))[0]).toBe(
    'test/high.test.ts uses test/cases/b.txt',
  )
  expect(told(await selectionFor(files, { 'stray/b.bin': 'c\n' }))).toEqual(['all: no file names stray/b.bin'])
})

test('selects the owner of a snapshot, and all tests for one without owner', async () => {
  expect(told(await selectionFor(project, { 'test/__snapshots__/other.test.ts.snap': 'x\n' }))[0]).toBe(
    'test/other.test.ts uses test/__snapshots__/other.test.ts.snap',
  )
  expect(told(await selectionFor(project, { 'test/__snapshots__/gone.test.ts.snap': 'x\n' }))).toEqual([
    'all: test/__snapshots__/gone.test.ts.snap is a snapshot of no test file',
  ])
})

test('selects tests whose imports cannot be known for every change of code', async () => {
  const files = {
    ...project,
    'src/other.ts': 'export const value = 1\nexport const load = (name: string) => import(name)\n',
    'test/high.test.ts': testOf('../generated/high.js'),
  }
  expect(told(await selectionFor(files, { 'src/deep.ts': 'export const value = 2\n' }))).toEqual([
    'test/deep.test.ts uses src/deep.ts',
    'test/high.test.ts uses modules itself, which loads `../generated/high.js`',
    'test/other.test.ts uses src/other.ts, which loads modules whose names are computed',
  ])
})

test.each([
  'const load = (name: string) => require (name)',
  'const load = (name: string) => import(/* bundled */ name)',
  'const load = require\nload("./x")',
  "import { createRequire } from 'node:module'\nconst find = createRequire(import.meta.url)\nfind(process.argv[2])",
  "const load: NodeRequire = require\nload('./x')",
  "import Module from 'node:module'\nModule.createRequire(import.meta.url)(process.argv[2])",
  'const load = (name: string) => import(\n  // Which one?\n  name)',
  "const load = (name: string) => import('./' /* one */ + name)",
  'require?.(process.argv[2])',
  'await vi.importActual(process.argv[2])',
  "jest.requireActual<typeof import('vitest')>(process.argv[2])",
  'const load = [require]\nload[0](process.argv[2])',
  'run(require)',
  'const load = process.argv[2] ? require : undefined',
  "import { createRequire as make } from 'node:module'\nmake(import.meta.url)(process.argv[2])",
  'const load = (name: string) => import/* bundled */(name)',
  'const load = (name: string) => import(/* ' + 'long '.repeat(50) + '*/ name)',
  "const load = (name?: string) => require(name ? './a' : name)",
  "const load = (name?: string) => require('' || name)",
  'const load = (name: string) => import(`./cases/${name}.ts`).catch(() => import(name))',
  `const names = [${Array.from({ length: 10_001 }, (_, index) => `'./n${index}'`).join()}]`,
])('does not know what is loaded by %.60s', async (code) => {
  const files = { ...project, 'src/other.ts': `export const value = 1\n${code}\n` }
  expect(told(await selectionFor(files, { 'src/deep.ts': 'export const value = 2\n' })).join()).toContain(
    'test/other.test.ts uses src/other.ts, which loads',
  )
})

test.each([
  "const other = require('./deep.ts')",
  "const other = import('./deep.ts', { with: {} })",
  "const { createRequire } = await import('node:module')\nconst require = createRequire(import.meta.url)\nrequire('./deep.ts')",
])('knows what is loaded by %.60s', async (code) => {
  const files = { ...project, 'src/other.ts': `export const value = 1\n${code}\n` }
  expect(told(await selectionFor(files, { 'test/deep.test.ts': 'test()\n' })).join()).not.toContain(
    'names are computed',
  )
})

test('follows aliases that calls of the runner name', async () => {
  const files = {
    ...project,
    'tsconfig.json': JSON.stringify({ compilerOptions: { paths: { '@/*': ['./src/*'] } } }),
    'test/other.test.ts': testOf('../src/other.ts', "await vi.importActual('@/deep')\n"),
  }
  expect(told(await selectionFor(files, { 'src/deep.ts': 'export const value = 2\n' }))).toContain(
    'test/other.test.ts uses src/deep.ts',
  )
})

test('does not know what is behind a symbolic link', async () => {
  const files = { ...project, 'test/link.ts': { linkTo: '../src/deep.ts' }, 'test/linked.test.ts': testOf('./link.ts') }
  expect(told(await selectionFor(files, { 'src/other.ts': 'export const value = 2\n' }))).toContain(
    'test/linked.test.ts uses modules itself, which loads test/link.ts, a symbolic link',
  )
})

test('follows symbolic links from what they lead to', async () => {
  const files = {
    ...project,
    'common/linked.ts': testOf('../src/deep.ts'),
    'test/linked.test.ts': { linkTo: '../common/linked.ts' },
    bin: { linkTo: 'src' },
    'test/high.test.ts': testOf(
      '../src/other.ts',
      "import { execFileSync } from 'node:child_process'\nexecFileSync('bin/deep.ts')\n",
    ),
  }
  const deep = told(await selectionFor(files, { 'src/deep.ts': 'export const value = 2\n' }))
  expect(deep).toContain('test/linked.test.ts uses common/linked.ts -> src/deep.ts')
  expect(deep).toContain('test/high.test.ts uses src/deep.ts')
  expect(told(await selectionFor(files, { 'src/other.ts': 'export const value = 2\n' }))).toContain(
    'not test/linked.test.ts: uses nothing that changed',
  )
})

test.each([
  ['test/setup.ts', 'src/deep.ts', "export default { test: { setupFiles: ['./test/setup.ts'] } }\n"],
  ['tsconfig.json', 'build/compiler.json', 'export default {}\n'],
])('runs all tests for what is behind the symbolic link %s', async (link, linkTo, config) => {
  const files = {
    ...project,
    'vitest.config.ts': config,
    [link]: { linkTo: join(relative(dirname(link), '.'), linkTo) },
  }
  const selection = await selectionFor({ ...files, [linkTo]: '{}\n' }, { [linkTo]: '{ }\n' })
  expect(told(selection)).toEqual([expect.stringContaining(`all: ${link}, `)])
})

test('follows programs that tests start, aliases, packages of the workspace and mocks', async () => {
  const files = {
    ...vitestProject({ workspaces: ['packages/*'] }),
    'tsconfig.json': JSON.stringify({ compilerOptions: { paths: { '@/*': ['./src/*'] } } }),
    'packages/core/package.json': JSON.stringify({ name: '@app/core', main: './src/index.ts' }),
    'packages/core/src/index.ts': "export * from './money.ts'\n",
    'packages/core/src/money.ts': 'export const value = 1\n',
    'src/alias.ts': 'export const value = 1\n',
    'src/api.ts': 'export const value = 1\n',
    'src/__mocks__/api.ts': 'export const value = 1\n',
    'bin/cli.js': "import '../src/alias.ts'\n",
    'test/alias.test.ts': testOf('@/alias'),
    'test/api.test.ts': testOf('../src/api.ts'),
    'test/cli.test.ts':
      "import { test } from 'vitest'\nimport { join } from 'node:path'\ntest('runs', () => join('bin', 'cli.js'))\n",
    'test/core.test.ts': testOf('@app/core'),
  }
  expect(told(await selectionFor(files, { 'packages/core/src/money.ts': 'export const value = 2\n' }))[0]).toMatch(
    /^test\/core\.test\.ts uses .*packages\/core\/src\/money\.ts$/,
  )
  expect(told(await selectionFor(files, { 'src/alias.ts': 'export const value = 2\n' })).slice(0, 2)).toEqual([
    'test/alias.test.ts uses src/alias.ts',
    'test/cli.test.ts uses bin/cli.js -> src/alias.ts',
  ])
  expect(told(await selectionFor(files, { 'src/__mocks__/api.ts': 'export const value = 2\n' }))[0]).toMatch(
    /^test\/api\.test\.ts uses/,
  )
})

test('runs all tests of runners that cannot run some of them', async () => {
  const files = {
    'Cargo.toml': '[package]\nname = "a"\nversion = "0.1.0"\n',
    'src/lib.rs': 'pub fn a() {}\n',
    'tests/a.rs': '#[test]\nfn a() {}\n',
  }
  expect(told(await selectionFor(files, { 'src/lib.rs': 'pub fn b() {}\n' }))).toEqual([
    'all: the tests run by cargo test, whose tests cannot be selected',
  ])
  expect(told(await selectionFor({ 'a.txt': 'a' }, { 'a.txt': 'b' }))).toEqual([
    'all: it is not known how the tests are run',
  ])
})

test('runs all tests if the command runs files that a build makes', async () => {
  const files = { ...project, 'vitest.config.ts': "export default { test: { include: ['build/**/*.test.js'] } }\n" }
  expect(told(await selectionFor(files, { 'src/deep.ts': 'export const value = 2\n' }))).toEqual([
    'all: it is not known which test files run',
  ])
})

test('keeps the most useful tests within a budget', async () => {
  const durations = new Map([
    ['test/deep.test.ts', 2],
    ['test/high.test.ts', 3],
    ['test/other.test.ts', 5],
  ])
  const selection = await selectionFor(
    project,
    { 'src/deep.ts': 'export const value = 2\n' },
    { durations, budgetSeconds: 4 },
  )
  expect(told(selection)).toEqual([
    'test/deep.test.ts uses src/deep.ts',
    'not test/other.test.ts: uses nothing that changed',
    'not test/high.test.ts: is beyond the budget, although it uses src/high.ts -> src/deep.ts',
  ])
  expect(selection.seconds).toEqual({ all: 10, selected: 2 })
  expect(selection.counts.cut).toBe(1)
})
