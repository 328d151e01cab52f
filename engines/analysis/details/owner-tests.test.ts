import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGitRepository, type Files } from '../../source/testing/git-repository.ts'
import { openWorkingTree } from '../../source/working-tree.ts'
import { ParsePool } from '../../parsing/pool.ts'
import { analyze } from '../analyze.ts'
import { defaultLimits } from '../types.ts'

let pool: ParsePool
beforeAll(() => {
  pool = new ParsePool({ size: 1, timeoutMs: 10_000 })
})
afterAll(() => pool[Symbol.asyncDispose]())

/** The file that the test of each candidate goes into, and the one that it is copied from. */
async function placesOf(files: Files): Promise<Record<string, string>> {
  await using repository = await createGitRepository(files)
  const { signal } = new AbortController()
  await using snapshot = await openWorkingTree(repository.path, { limits: defaultLimits, signal })
  const { testCandidates = [] } = await analyze(snapshot, { signal, pool })
  return Object.fromEntries(
    testCandidates.map(({ symbol, brief }) => [
      symbol,
      `${brief?.testFile.path}${brief?.testFile.exists === true ? '' : ' (new)'}, near ${brief?.nearestTest?.path}`,
    ]),
  )
}

const branches = (indent: string) => `${indent}if a:\n${indent}    return 1\n${indent}return 2\n`

test('a member goes into the test that is named after its class and constructs it', async () => {
  const cache = (name: string, base: string) =>
    `class ${name}(${base}):\n    def __setitem__(self, a, b):\n${branches('        ')}\n    def popitem(self, a=1):\n${branches('        ')}\n`
  const testOf = (name: string) =>
    `from caches import ${name}\n\n\ndef test_${name.toLowerCase()}():\n    cache = ${name}()\n    cache[1] = 2\n    assert 1 in cache\n`
  const places = await placesOf({
    'pyproject.toml': '[project]\nname = "caches"\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
    'src/caches/__init__.py':
      cache('Cache', 'dict') +
      cache('RRCache', 'Cache') +
      cache('_TimedCache', 'Cache') +
      cache('TTLCache', '_TimedCache').replace('popitem', 'expire') +
      cache('Lost', 'Cache').replace('popitem', 'lose') +
      cache('Shared', 'Cache').replace('popitem', 'share'),
    'tests/test_cache.py': testOf('Cache'),
    'tests/test_rr.py': testOf('RRCache'),
    'tests/test_ttl.py': testOf('TTLCache'),
    'tests/test_shared.action.py': testOf('Shared'),
    // Uses the class for something else.
    'tests/test_cached.py': `from caches import Cache, RRCache, Shared\n\n\ndef test_cached():\n    assert [Cache(), RRCache(), Shared()]\n`,
  })
  expect(places).toMatchObject({
    'Cache.popitem': 'tests/test_cache.py, near tests/test_cache.py',
    'Cache.__setitem__': 'tests/test_cache.py, near tests/test_cache.py',
    'RRCache.popitem': 'tests/test_rr.py, near tests/test_rr.py',
    'RRCache.__setitem__': 'tests/test_rr.py, near tests/test_rr.py',
    'TTLCache.expire': 'tests/test_ttl.py, near tests/test_ttl.py',
    'Lost.lose': expect.stringMatching(/^tests\/test_caches\.py \(new\)/),
    'Shared.share': expect.stringMatching(/^tests\/test_caches\.py \(new\)/),
  })
})

test('a function inside of a test is no helper for others', async () => {
  await using repository = await createGitRepository({
    'package.json': JSON.stringify({ name: 'shop', type: 'module', scripts: { test: 'node --test' } }),
    'lib/list.js': 'export const list = (a) => { if (a) { return 1 } return a ? 2 : 3 }\n',
    'test/list.test.js': `import test from 'node:test'
import { list } from '../lib/list.js'
function make(a) { return a ? [a] : [] }
test('list', () => {
  const local = (a) => { return a ? list(a) : 1 }
  function check(a) { if (a) { return list(make(a)) } return local(a) }
  check(local(1))
})
`,
  })
  const { signal } = new AbortController()
  await using snapshot = await openWorkingTree(repository.path, { limits: defaultLimits, signal })
  const { testCandidates = [] } = await analyze(snapshot, { signal, pool })
  expect(testCandidates.map(({ brief }) => brief?.nearestTest?.helpers)).toEqual([['make']])
})
