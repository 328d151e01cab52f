import { expect, test } from 'vitest'
import { type Conditions, conditionsOf, type Measured, ownersOf } from './conditions.ts'

const files = ['package.json', 'src/a.js', 'test/a.test.js', 'test/__snapshots__/a.test.js.snap', 'test/helpers/b.js']
const conditions = (change: Partial<Conditions> = {}, contents: Readonly<Record<string, string>> = {}): Conditions => {
  const paths = [...new Set([...files, ...Object.keys(contents)])]
  return {
    source: {
      tree: { paths, read: async () => null },
      contentId: (path) => contents[path] ?? 'same',
      treeId: () => '',
    },
    tests: { listFiles: false, readDocuments: false },
    parts: [],
    settings: { timeoutSeconds: 60, testNetwork: false },
    executor: { name: 'bwrap' },
    environment: {},
    owners: ['project'],
    ...change,
  }
}

test('results count for what contains the code that found them', () => {
  const commit = { trust: 'project', commitSha: 'c1', branch: null, isOnProjectBranch: false, snapshot: null } as const
  const owners = (change: Partial<Measured> = {}) => ownersOf({ ...commit, ...change })
  expect(owners({ isOnProjectBranch: true, branch: 'main' })).toEqual(['project'])
  expect(owners({ branch: 'feature' })).toEqual(['branch:feature', 'project'])
  expect(owners()).toEqual(['commit:c1', 'project'])
  expect(owners({ trust: 'stranger:c1' })).toEqual(['stranger:c1', 'project'])
  const snapshot = { senderId: 'ada', baseSha: 'c1' }
  expect(owners({ commitSha: 's1', snapshot })).toEqual(['sender:ada:c1', 'commit:c1', 'project'])
  expect(owners({ trust: 'stranger:s2', commitSha: 's2', snapshot })).toEqual(owners({ snapshot }))
  expect(owners({ snapshot: { senderId: 'ada', baseSha: null } })).toEqual(['sender:ada:', 'project'])
})

test('each owner has conditions of its own, and finds those of the others', () => {
  const [project, ...none] = conditionsOf(conditions())
  expect(none).toEqual([])
  const [own, ...others] = conditionsOf(conditions({ owners: ['branch:feature', 'project'] }))
  expect([own === project, others]).toEqual([false, [project]])
})

test('code, tests and their snapshots are compared one by one, and all other files together', () => {
  const [project] = conditionsOf(conditions())
  const same = ['src/a.js', 'src/new.js', 'test/a.test.js', 'test/__snapshots__/a.test.js.snap', 'docs/a.md']
  for (const path of same) expect([path, conditionsOf(conditions({}, { [path]: 'new' }))[0]]).toEqual([path, project])
  for (const path of ['package.json', 'package-lock.json', 'test/helpers/b.js', 'vitest.config.js', 'data/a.json']) {
    expect([path, conditionsOf(conditions({}, { [path]: 'new' }))[0]]).not.toEqual([path, project])
  }
  expect(conditionsOf(conditions({ environment: { TOKEN: 'x' } }))[0]).not.toBe(project)
})

test('a document counts if tests read documents, and a new file if something lists folders', () => {
  const reading = conditionsOf(conditions({ tests: { listFiles: false, readDocuments: true } }))
  const changed = conditions({ tests: { listFiles: false, readDocuments: true } }, { 'docs/a.md': 'new' })
  expect(conditionsOf(changed)).not.toEqual(reading)
  const listing = conditionsOf(conditions({ tests: { listFiles: true, readDocuments: false } }))
  const more = conditions({ tests: { listFiles: true, readDocuments: false } }, { 'src/plugins/b.js': 'new' })
  expect(conditionsOf(more)).not.toEqual(listing)
})

test('a new file counts if an import can mean it instead of another one', () => {
  const before = conditions({}, { 'src/limits/index.js': 'same' })
  const after = conditions({}, { 'src/limits/index.js': 'same', 'src/limits.js': 'new' })
  expect(conditionsOf(after)).not.toEqual(conditionsOf(before))
  expect(conditionsOf(conditions({}, { 'src/limits/index.js': 'same', 'src/limit.js': 'new' }))).toEqual(
    conditionsOf(before),
  )
})
