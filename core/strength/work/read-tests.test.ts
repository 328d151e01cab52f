import { expect, test } from 'vitest'
import { testRunner } from '../../../engines/processes/testing/runner.ts'
import { readTests } from './read-tests.ts'

const read = (files: Readonly<Record<string, string>>, code: Readonly<Record<string, string>> = {}) => {
  const tree = { paths: Object.keys(files), read: async (path: string) => files[path] ?? null }
  return readTests({ tree }, testRunner, new Map(Object.entries(code)))
}

const nothing = {
  dependent: [],
  listFiles: false,
  readDocuments: false,
  unseen: new Set<string>(),
  supportIsUnseen: false,
}

test('names the test files whose tests depend on each other', async () => {
  const counting = 'let n = 0\ntest("a", () => { n += f(1) })\ntest("b", () => eq(n, 2))\n'
  const files = { 'test/a.test.ts': counting, 'test/b.test.js': 'test("a", () => eq(f(1), 2))\n', 'src/n.js': counting }
  expect(await read(files)).toEqual({ ...nothing, dependent: ['test/a.test.ts'] })
})

test.each([
  ['test/a.test.js', 'fs.readdirSync(join(here, "../src/plugins"))'],
  ['test/helpers/load.js', 'await readdir(folder)'],
  ['test/a.test.ts', 'import.meta.glob("./plugins/*.ts")'],
  ['tests/test_a.py', 'for path in Path("plugins").glob("*.py"): load(path)'],
  ['tests/test_a.py', 'for root, _, files in os.walk("plugins"): load(files)'],
  ['a/a_test.go', 'entries, _ := os.ReadDir("plugins")'],
])('%s lists folders with %s', async (path, source) => {
  expect(await read({ [path]: source })).toMatchObject({ listFiles: true, readDocuments: false })
})

test('code can list folders, too, and tests can read documents', async () => {
  expect(await read({}, { 'src/load.js': 'readdirSync("plugins")' })).toEqual({ ...nothing, listFiles: true })
  expect(await read({ 'test/a.test.js': 'read("docs/cases.md")' })).toEqual({ ...nothing, readDocuments: true })
  expect(await read({ 'test/a.test.js': 'globalThis.walk = 1' })).toEqual(nothing)
})

test.each([
  ['test/a.test.js', "import { spawn } from 'node:child_process'"],
  ['test/a.test.ts', "new Worker('./worker.js')"],
  ['tests/test_a.py', 'import subprocess'],
  ['tests/test_a.py', 'os.system("make")'],
  ['tests/test_a.py', 'await asyncio.create_subprocess_shell("make")'],
  ['test/a.test.js', "readFileSync('../src/a.js')"],
  ['test/a.test.js', 'String(total)'],
])('%s starts a program or reads texts with %s', async (path, source) => {
  expect(await read({ [path]: source })).toEqual({ ...nothing, unseen: new Set([path]) })
})

test('what code and helpers of tests start counts, too', async () => {
  const source = "import { execa } from 'execa'"
  expect((await read({}, { 'src/run.js': source })).unseen).toEqual(new Set(['src/run.js']))
  expect((await read({ 'test/helpers/run.js': source })).supportIsUnseen).toBe(true)
})
