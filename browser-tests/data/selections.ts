import { randomBytes } from 'node:crypto'
import type { TestRunRow } from '../../core/test-runs/entity.ts'
import { reachToBytes } from '../../engines/selection/reach-record.ts'
import type { MissedTest } from '../../core/selection/schema.ts'
import type { Scene } from './target.ts'

interface Shadow {
  mode: 'impacted' | 'all'
  whyAll: string | null
  selected: number
  failures: number | null
  missed: MissedTest[]
}

const files = 48

/** Fills what selections would have done in place of the runs. */
export async function fillSelections(scene: Scene, runs: readonly TestRunRow[]): Promise<void> {
  const whole = runs.filter(({ status, selection, snapshotId }) => status === 'COMPLETED' && !selection && !snapshotId)
  const [test] = scene.sources.tests
  const missed = test
    ? [{ suite: test.suite, name: test.name, file: test.file, because: 'uses nothing that changed' }]
    : []
  const [measured] = whole
  if (measured) await storeSeenReach(scene, measured.projectId)
  for (const [index, run] of whole.slice(0, 60).entries()) {
    const red = run.failedTests > 0 ? Math.min(run.failedTests, 3) : 0
    const place = { baseSha: scene.repository.commits[1], createdAt: run.completedAt }
    await storeShadow(
      scene.app,
      { ...run, ...place },
      {
        mode: index % 9 === 4 ? 'all' : 'impacted',
        whyAll: index % 9 === 4 ? 'package-lock.json changed' : null,
        selected: index % 9 === 4 ? files : 3 + ((index * 7) % 20),
        failures: index % 11 === 10 ? null : red,
        missed: red > 0 && index % 8 === 0 ? missed : [],
      },
    )
  }
}

/** What a measurement of strength saw the tests run. */
async function storeSeenReach({ app, repository }: Scene, projectId: string): Promise<void> {
  const record = await reachToBytes({ watched: new Map(), tests: [] })
  await app.dataSource.query(
    `INSERT INTO measured_reaches (project_id, commit_sha, tests, record, measured_at) VALUES ($1, $2, $3, $4, now())`,
    [projectId, repository.commits[1] ?? 'a'.repeat(40), files, record],
  )
}

export async function storeShadow(
  app: Scene['app'],
  run: Pick<TestRunRow, 'id' | 'projectId'> & { baseSha?: string | undefined; createdAt?: Date | null },
  { mode, whyAll, selected, failures, missed }: Shadow,
): Promise<void> {
  await app.dataSource.query(
    `INSERT INTO shadow_selections (run_id, project_id, base_sha, head_sha, mode, why_all, counts, all_seconds, selected_seconds,
                                    failures, caught, missed, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      run.id,
      run.projectId,
      run.baseSha ?? 'a'.repeat(40),
      randomBytes(20).toString('hex'),
      mode,
      whyAll,
      { all: files, selected, skipped: files - selected, cut: 0 },
      files * 1.5,
      selected * 1.5,
      failures,
      failures === null ? null : Math.max(0, failures - missed.length),
      JSON.stringify(missed),
      run.createdAt ?? new Date(),
    ],
  )
}
