import { expect, test } from 'vitest'
import type { KnownCoverage } from '../types.ts'
import { repository } from '../graph/testing/repository.ts'
import { rankCandidates } from './rank-candidates.ts'
import { type FileStrength, strengthOfFiles } from './strength.ts'

const history = { commits: 0, changes: new Map(), recentChanges: new Map() }
const sources = {
  'src/a.ts': `export function price(a: number) {
  const full = a * 2
  if (a > 9) return full - 1
  return full
}
export function size(a: number) {
  const text = String(a)
  if (a > 9) return text.length
  return 1
}
`,
}
const coverage: KnownCoverage = {
  commitSha: 'c'.repeat(40),
  behind: 0,
  files: new Map([['src/a.ts', { covered: [[1, 10]], uncovered: [], partialBranches: null, changed: [] }]]),
  changedFiles: 0,
  goneFiles: 0,
}
const measured: FileStrength = {
  path: 'src/a.ts',
  contentId: 'content',
  commitSha: 'c'.repeat(40),
  reached: null,
  lines: [
    [2, 2, 0],
    [3, 3, 2],
    [4, 1, 0],
    [8, 3, 0],
  ],
  survivors: [[3, 'a > 9', 'a >= 9']],
}

async function candidates(strength: readonly FileStrength[], blobId = 'content') {
  const { files, manifests } = await repository(sources)
  const entries = [{ path: 'src/a.ts', blobId }]
  const known = { coverage, strength: strengthOfFiles(strength, entries) }
  return rankCandidates({ files, manifests, history, limits: { maxCandidates: 10 }, ...known }).candidates
}

test('code whose every line runs is worth a test where changes of it go unnoticed', async () => {
  expect(await candidates([])).toEqual([])
  const [price, ...others] = await candidates([measured])
  expect(others).toEqual([])
  expect(price).toMatchObject({
    symbol: 'price',
    coverage: 1,
    strength: {
      tried: 6,
      noticed: 4,
      survived: 2,
      commitSha: 'c'.repeat(40),
      survivors: [{ line: 3, original: 'a > 9', replacement: 'a >= 9' }],
    },
  })
  expect(price?.reasons).toContain('tests run all of its 4 lines, but 2 of 6 small changes went unnoticed at ccccccc')
})

test('nothing is known of a file that has changed since', async () => {
  expect(await candidates([measured], 'another content')).toEqual([])
  const older = { ...measured, contentId: 'older', lines: [[3, 9, 9]] as const }
  expect((await candidates([older, measured]))[0]?.strength?.tried).toBe(6)
})

test('code that tests do not run comes first', async () => {
  const { files, manifests } = await repository(sources)
  const half = { covered: [[1, 5]] as const, uncovered: [[7, 9]] as const, partialBranches: null, changed: [] }
  const ranked = rankCandidates({
    files,
    manifests,
    history,
    limits: { maxCandidates: 10 },
    coverage: { ...coverage, files: new Map([['src/a.ts', half]]) },
    strength: strengthOfFiles([measured], [{ path: 'src/a.ts', blobId: 'content' }]),
  })
  expect(ranked.candidates.map(({ symbol }) => symbol)).toEqual(['size', 'price'])
})
