import { expect, test } from 'vitest'
import type { LeftOut } from '../engines/source/packing/left-out.ts'
import type { CommittedTree } from './snapshot.ts'
import { sentStateInWords, snapshotProgress } from './snapshot-words.ts'

test('every phase of sending a working tree shows how far it is', () => {
  expect(
    [
      { phase: 'listing', files: 1_200 } as const,
      { phase: 'packing', objects: 31, bytes: 0 } as const,
      { phase: 'packing', objects: 31, bytes: 999_001 } as const,
      { phase: 'sending', sentBytes: 0, bytes: 12_345_678 } as const,
      { phase: 'sending', sentBytes: 65_536, bytes: 12_345_678 } as const,
      { phase: 'sending', sentBytes: 12_345_678, bytes: 12_345_678 } as const,
    ].map(snapshotProgress),
  ).toEqual([
    'Packing the working tree, 1200 files',
    'Packing the working tree, 31 objects, 0 kB',
    'Packing the working tree, 31 objects, 1000 kB',
    'Sending the snapshot, 0 kB of 12.3 MB',
    'Sending the snapshot, 66 kB of 12.3 MB',
    'Sending the snapshot, 12.3 MB of 12.3 MB',
  ])
})

test('an agent is told how to send files that were left out as credentials', () => {
  const sent: CommittedTree = {
    snapshot: null,
    headSha: '0123456789'.repeat(4),
    changedFiles: 0,
    isClean: true,
    branch: null,
    leftOut: [],
  }
  const file = (path: string, reason: LeftOut['reason']): LeftOut => ({ path, reason, why: 'Because.' })
  const words = (...leftOut: LeftOut[]) => sentStateInWords({ ...sent, leftOut }, 'assay run')
  expect(words()).toBe('commit 0123456')
  expect(words(file('lib', 'repository'))).toBe('commit 0123456; left out: lib (is a repository of its own)')
  expect(words(file('.env', 'credential'), file('lib', 'repository'))).toBe(
    'commit 0123456; left out: .env (looks like a credential), lib (is a repository of its own); ' +
      'to send it, run `assay run --include FILE`',
  )
  expect(words(file('.env', 'credential'), file('key.pem', 'credential'))).toContain('to send one, run `assay run ')
})
