import { expect, test } from 'vitest'
import { rowOfWholeRun } from '../coverage/measured.ts'
import { RepositoryError } from '../source/types.ts'
import type { AnalysisWarning } from '../source/schema.ts'
import { carryCommits, type MeasuredCommit } from './find-coverage.ts'

const unchanged = { changed: new Map(), gone: new Set<string>(), added: new Set<string>() }
const newest: MeasuredCommit = {
  commitSha: 'newest',
  behind: 0,
  files: [
    ['src/a.js', '1', '2', null],
    ['gone.js', '1', '', null],
  ],
}
const whole: MeasuredCommit = {
  commitSha: 'whole',
  behind: 2,
  files: [rowOfWholeRun, ['src/a.js', '1-2', '', null], ['src/b.js', '1', '', null]],
}
const snapshotOf = (...paths: string[]) => ({
  entries: paths.map((path) => ({ path, blobId: path, mode: '100644', size: 9 })),
  warnings: [] as AnalysisWarning[],
})

test('the nearest commit that measured a file counts, and the others know the rest', async () => {
  const snapshot = snapshotOf('package.json', 'src/a.js', 'src/b.js', 'src/c.js')
  const known = await carryCommits(snapshot, [newest, whole], () => Promise.resolve(unchanged))
  expect(known).toMatchObject({
    commitSha: 'newest',
    behind: 0,
    goneFiles: 1,
    earlier: [{ commitSha: 'whole', behind: 2, measuredFiles: 1 }],
  })
  expect(
    [...(known?.files ?? [])].map(([path, { uncovered, from, isUnlisted }]) => [
      path,
      uncovered.length,
      from?.behind,
      isUnlisted,
    ]),
  ).toEqual([
    ['src/a.js', 1, 0, undefined],
    ['src/b.js', 0, 2, undefined],
    ['src/c.js', 1, 2, true],
  ])
})

test('compares no commit that knows no other file, and keeps what is known if a commit cannot be compared', async () => {
  const snapshot = snapshotOf('src/a.js', 'src/b.js')
  const compared: string[] = []
  const same = { ...newest, commitSha: 'same', behind: 1 }
  const known = await carryCommits(snapshot, [newest, same, whole], ({ commitSha }) => {
    compared.push(commitSha)
    if (commitSha === 'whole') throw new RepositoryError('commit_not_found', 'It is gone.')
    return Promise.resolve(unchanged)
  })
  expect(compared).toEqual(['newest', 'whole'])
  expect([known?.commitSha, known?.files.size, known?.earlier]).toEqual(['newest', 1, undefined])
  expect(snapshot.warnings).toMatchObject([{ code: 'coverage_unknown' }])
})
