import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ProcessPool } from '../../../engines/processes/pool.ts'
import { code, codeFile } from '../../../engines/verdicts/change/testing.ts'
import { layersAbove } from '../../workspaces/layered-checkout.ts'
import { tryOtherCode } from './mutate.ts'
import type { Side } from './side.ts'
import type { Task } from './task.ts'
import { startWorkTime } from './work-time.ts'

test('mutants that would begin after the time are not tried, and the phase is not complete', async () => {
  await using opened = new AsyncDisposableStack()
  const { path: directory } = opened.use(await mkdtempDisposable(join(tmpdir(), 'assay-')))
  const pool = opened.use(new ProcessPool({ size: 1, timeoutMs: 30_000 }))
  const checkout = join(directory, 'checkout')
  await mkdir(join(checkout, 'src'), { recursive: true })
  const [before, now] = [100, 200].map((limit) => `export const isLarge = (sum) => {\n  return sum > ${limit}\n}\n`)
  await writeFile(join(checkout, codeFile), now ?? '')
  const hunks = [{ oldStart: 2, oldLines: 1, newStart: 2, newLines: 1 }]
  const fetched = { checkout, commitSha: 'a'.repeat(40) }
  const side = { fetched, parts: [], layered: layersAbove({ directory, checkout }) } as unknown as Side
  const warnings: string[] = []
  const task = {
    runner: pool.runnerFor('owner', new AbortController().signal),
    change: { intent: 'change', mutants: 3, baseSha: 'b'.repeat(40) },
    files: [code({ hunks, lines: [[2, 2]] })],
    report: () => {},
    warn: (message: string) => void warnings.push(message),
    time: startWorkTime(-1),
  } as unknown as Task
  const sides = {
    side,
    runs: { fetched } as never,
    tests: new Map(),
    failures: new Set<string>(),
    atOnce: 1,
    noticing: null,
  }
  const texts = { sources: new Map([[codeFile, now ?? '']]), sourcesBefore: new Map([[codeFile, before ?? '']]) }
  const mutating = { ...sides, ...texts, coverage: null, withoutChange: null }
  expect(await tryOtherCode(task, mutating, () => {})).toBe(false)
  expect(warnings).toContainEqual(
    expect.stringMatching(/^Assay tried 0 of 2 mutants and 0 of 1 restored part of the old code, because the time/),
  )
})
