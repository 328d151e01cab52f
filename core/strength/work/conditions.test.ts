import { expect, test } from 'vitest'
import { type Conditions, conditionsOf } from './conditions.ts'

const files = ['package.json', 'src/a.js', 'test/a.test.js', 'test/__snapshots__/a.test.js.snap', 'test/helpers/b.js']
const conditions = (change: Partial<Conditions> = {}, contents: Readonly<Record<string, string>> = {}): Conditions => {
  const paths = [...new Set([...files, ...Object.keys(contents)])]
  return {
    source: {
      tree: { paths, read: async () => null },
      contentId: (path) => contents[path] ?? 'same',
      treeId: () => '',
    },
    parts: [],
    settings: { timeoutSeconds: 60, testNetwork: false },
    executor: { name: 'bwrap' },
    environment: {},
    trust: 'project',
    elsewhere: null,
    senderId: null,
    ...change,
  }
}

test('untrusted results are found by the same commit or sender only, which also find those of the project', () => {
  const [project, ...none] = conditionsOf(conditions())
  expect(none).toEqual([])
  const [fork, ...ofFork] = conditionsOf(conditions({ trust: 'stranger:1' }))
  const [sender, ...ofSender] = conditionsOf(conditions({ trust: 'stranger:2', senderId: 'user' }))
  const [later] = conditionsOf(conditions({ trust: 'stranger:3', senderId: 'user' }))
  const [other] = conditionsOf(conditions({ trust: 'stranger:3', senderId: 'another' }))
  expect([ofFork, ofSender, later]).toEqual([[project], [project], sender])
  const [branch, ...ofBranch] = conditionsOf(conditions({ elsewhere: 'feature' }))
  expect([branch === project, ofBranch]).toEqual([false, [project]])
  expect(new Set([project, fork, sender, other]).size).toBe(4)
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
