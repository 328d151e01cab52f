import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { noPlanSettings } from '../analysis/read-testing.ts'
import { ProcessPool } from '../processes/pool.ts'
import type { Changes, TreeEntry } from '../source/types.ts'
import { prepareApart, selectApart } from './select-apart.ts'
import { told } from './testing.ts'

const sources: Record<string, string> = {
  'package.json': JSON.stringify({ type: 'module', scripts: { test: 'vitest' }, devDependencies: { vitest: '*' } }),
  'src/a.ts': 'export const a = 1\n',
  'src/b.ts': 'export const b = 1\n',
  'test/a.test.ts': "import { a } from '../src/a.ts'\nconsole.log(a)\n",
  'test/b.test.ts': "import { b } from '../src/b.ts'\nconsole.log(b)\n",
}
const entries = Object.keys(sources).map((path, index): TreeEntry => {
  return { path, blobId: String(index + 1).repeat(40), mode: '100644', size: sources[path]?.length ?? 0 }
})

test('selects in another process, which asks only for contents that it does not know', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'assay-selection-'))
  await using pool = new ProcessPool({ size: 2, timeoutMs: 60_000 })
  const asked: string[][] = []
  const runner = pool.runnerFor('owner')
  const changes: Changes = {
    changed: new Map([['src/a.ts', { before: 'src/a.ts', hunks: [] }]]),
    gone: new Set(),
    added: new Set(),
  }
  const state = { directory, settings: noPlanSettings }
  const read = (wanted: readonly TreeEntry[]) => {
    asked.push(wanted.map(({ path }) => path))
    return Promise.resolve(wanted.map(({ path }) => Buffer.from(sources[path] ?? '')))
  }
  const select = (of = entries) => selectApart(runner, { ...state, changes }, of, read)
  const expected = ['test/a.test.ts uses src/a.ts', 'not test/b.test.ts: uses nothing that changed']
  expect(told(await select())).toEqual(expected)
  expect(asked).toEqual([Object.keys(sources)])
  // Manifests are read for each state. The process keeps the state of its last task.
  expect(told(await select([...entries]))).toEqual(expected)
  expect(asked[1]).toEqual(['package.json'])
  const later = [...entries]
  await prepareApart(runner, state, later, read)
  expect(told(await select(later))).toEqual(expected)
  expect(asked).toHaveLength(3)
  await rm(directory, { recursive: true, force: true })
})
