import { expect, test } from 'vitest'
import type { Changes } from '../../source/types.ts'
import { changedFiles } from './changed-files.ts'
import { findRunnerFiles } from './runner-files.ts'

/** Returns the changed files that the runner loads. All files are added. */
async function found(contents: Record<string, string>, parts = [{ directory: '', command: 'node --test' }]) {
  const paths = Object.keys(contents)
  const changes: Changes = { changed: new Map(), added: new Set(paths), gone: new Set() }
  const tree = { paths, read: async (path: string) => contents[path] ?? null }
  return (await findRunnerFiles(changedFiles(changes), tree, parts)).map(({ path }) => path)
}

test.for([
  'conftest.py',
  'tests/unit/conftest.py',
  'pytest.ini',
  'sitecustomize.py',
  'vitest.config.ts',
  'app/vite.config.mjs',
  'jest.config.js',
  'jest.setup.js',
  '.mocharc.json',
  'spec/spec_helper.rb',
])('the runner loads %s', async (path) => {
  expect(await found({ [path]: '' })).toEqual([path])
})

test.for([
  'setup.py',
  'src/setup.ts',
  'package.json',
  'pyproject.toml',
  'test/fixtures/cart.json',
  'test/helpers/server.ts',
  'test/cart.test.ts',
  'src/cart.ts',
])('the runner does not load %s by its name', async (path) => {
  expect(await found({ [path]: '' })).toEqual([])
})

test('finds files that the configuration of the runner names, and not those that other configuration names', async () => {
  const files = {
    'package.json': JSON.stringify({
      main: './src/index.js',
      jest: { reporters: ['default', '<rootDir>/tools/reporter.js'], setupFiles: ['./tools/before'] },
    }),
    'src/index.js': '',
    'tools/before.js': '',
    'tools/reporter.js': '',
  }
  expect(await found(files)).toEqual(['tools/before.js', 'tools/reporter.js'])
  const python = {
    'pyproject.toml': '[project]\npackages = ["cart"]\n[tool.pytest.ini_options]\naddopts = "-q -p tests.forge"\n',
    'cart.py': '',
    'tests/forge.py': '',
  }
  expect(await found(python)).toEqual(['tests/forge.py'])
  const plugins = { 'conftest.py': 'pytest_plugins = ["tests.forge"]\n', 'tests/forge.py': '' }
  expect(await found(plugins)).toEqual(['conftest.py', 'tests/forge.py'])
  const vitest = {
    'app/vitest.config.ts': "export default { test: { reporters: ['./forge.ts'] } }\n",
    'app/forge.ts': '',
    'forge.ts': '',
  }
  expect(await found(vitest, [{ directory: 'app', command: 'vitest run' }])).toEqual([
    'app/forge.ts',
    'app/vitest.config.ts',
  ])
})

test('finds files that the test command names', async () => {
  const files = { 'hooks.js': '', 'src/hooks.js': '' }
  expect(await found(files, [{ directory: '', command: 'mocha --require ./hooks.js' }])).toEqual(['hooks.js'])
})
