import { In, IsNull } from 'typeorm'
import { findDurationSteps } from '../../engines/health/change-points.ts'
import { likelyRenames } from '../../engines/health/renames.ts'
import type { Context } from '../base/context.ts'
import { getOwnProject } from '../projects/get.ts'
import { mergedTest, noSuchTest } from '../quarantine/find-test.ts'
import { QuarantineEntity } from '../quarantine/entity.ts'
import { presentQuarantine } from '../quarantine/present.ts'
import { TestRunEntity } from '../test-runs/entity.ts'
import { rerunCommand } from '../test-runs/failures/rerun-command.ts'
import { adviseOn } from './advice.ts'
import { explainHealth } from '../../engines/health/explain.ts'
import type { EvidenceRun, HealthRule } from '../../engines/health/outcome.ts'
import { openQuarantine, presentEvidence, presentTest, testColumns, type TestRow } from './present.ts'
import type { Health, TestDetail, TestRef } from './schema.ts'
import { loadDays, loadErrors, loadStrip, presentStrip } from './strip.ts'

type Names = TestDetail['renamedFrom'][number]

/** So long after a test appeared, its likely earlier names are offered. */
const maxRenameAgeMs = 30 * 86_400_000

/** Variants that are listed. */
const maxVariants = 100

/** Returns everything that is known about a test: its health with the evidence, its history, and what to do next. */
export async function getTest(ctx: Context, input: TestRef): Promise<TestDetail> {
  const { id: projectId } = await getOwnProject(ctx, input.projectId, 'viewer')
  const { row, variants, variantCount } = await findVariant(ctx, projectId, input)
  const mergedFrom = await findMerged(ctx, row)
  const test = { projectId, ids: [row.testId, ...mergedFrom.map(({ testId }) => testId)], variant: row.variant }
  const strip = await loadStrip(ctx, test)
  const [days, errors, changes, quarantines, command, renamedFrom] = await Promise.all([
    loadDays(ctx, test),
    loadErrors(ctx, test, strip),
    loadChanges(ctx, row),
    loadQuarantines(ctx, row),
    findRerunCommand(ctx, row),
    findRenames(ctx, row, strip[0]?.runId),
  ])
  const summary = presentTest(ctx, row)
  const points = strip
    .toReversed()
    .flatMap(({ at, durationMs, status }) =>
      durationMs === null || status === 'failed' ? [] : [{ at: at.getTime(), ms: durationMs }],
    )
  return {
    ...summary,
    variants,
    variantCount,
    evidence: presentEvidence(row.evidence),
    missing: row.missing,
    advice: adviseOn(summary, row),
    strip: presentStrip(strip),
    changes,
    quarantines,
    days,
    steps: findDurationSteps(points).map(({ at, before, after, ratio }) => ({
      at: new Date(at).toISOString(),
      beforeMs: before,
      afterMs: after,
      ratio,
    })),
    errors,
    renamedFrom,
    mergedFrom,
    rerunCommand: command,
  }
}

/** Without a variant, the one with the worst health is shown. */
async function findVariant(ctx: Context, projectId: string, { testId, variant }: TestRef) {
  const ofTest = `FROM tests WHERE project_id = $1 AND test_id = ${mergedTest}`
  const worstFirst = `ORDER BY array_position(ARRAY['broken', 'flaky', 'new', 'healthy', 'stale'], health), variant`
  const [row] = await ctx.db.query<TestRow[]>(
    `SELECT ${testColumns}
       FROM (SELECT * ${ofTest} AND ($3::text IS NULL OR variant = $3) ${worstFirst} LIMIT 1) AS t ${openQuarantine}`,
    [projectId, testId, variant ?? null],
  )
  const known = await ctx.db.query<{ variant: string; count: number }[]>(
    `SELECT variant, count(*) OVER ()::int AS count ${ofTest} ${worstFirst} LIMIT ${maxVariants}`,
    [projectId, testId],
  )
  const variants = known.map((each) => each.variant)
  const variantCount = known[0]?.count ?? 0
  if (row) return { row, variants: variants.toSorted(), variantCount }
  throw noSuchTest(variants.toSorted(), variantCount)
}

async function findMerged({ db }: Context, { projectId, testId }: TestRow): Promise<Names[]> {
  return db.query<Names[]>(
    `SELECT DISTINCT ON (test_id) test_id AS "testId", suite, name, file FROM tests
      WHERE project_id = $1 AND merged_into = $2 ORDER BY test_id, last_seen_at DESC`,
    [projectId, testId],
  )
}

async function loadChanges({ db }: Context, { projectId, testId, variant }: TestRow): Promise<TestDetail['changes']> {
  const rows = await db.query<
    { from: Health; to: Health; rule: HealthRule; evidence: EvidenceRun[]; runId: string | null; at: Date }[]
  >(
    `SELECT "from", "to", rule, evidence, nullif(run_id, '') AS "runId", created_at AS at FROM health_changes
      WHERE project_id = $1 AND test_id = $2 AND variant = $3 ORDER BY id DESC LIMIT 50`,
    [projectId, testId, variant],
  )
  return rows.map(({ evidence, at, ...change }) => ({
    ...change,
    reason: explainHealth({ rule: change.rule, evidence }),
    evidence: presentEvidence(evidence),
    at: at.toISOString(),
  }))
}

const maxQuarantines = 20

/** Those that are open come first, however many have ended since. */
async function loadQuarantines(ctx: Context, { projectId, testId, variant }: TestRow) {
  const rows = await ctx.db.getRepository(QuarantineEntity).find({
    where: [
      { projectId, testId, variant: IsNull() },
      { projectId, testId, variant },
    ],
    order: { id: 'DESC' },
    take: maxQuarantines,
  })
  const open = await ctx.db.getRepository(QuarantineEntity).find({
    where: [
      { projectId, testId, variant: IsNull(), status: In(['active', 'requested']) },
      { projectId, testId, variant, status: In(['active', 'requested']) },
    ],
    order: { id: 'DESC' },
    take: maxQuarantines,
  })
  const shown = new Map([...open, ...rows].map((row) => [row.id, row]))
  return [...shown.values()].slice(0, maxQuarantines).map((row) => presentQuarantine(ctx, row))
}

/** The latest run that Assay itself executed says how the tests are run. */
async function findRerunCommand({ db }: Context, { projectId, suite, name, file }: TestRow): Promise<string | null> {
  const run = await db
    .getRepository(TestRunEntity)
    .createQueryBuilder('run')
    .where('run.projectId = :projectId AND run.recipe IS NOT NULL AND run.selection IS NULL', { projectId })
    .orderBy('run.id', 'DESC')
    .getOne()
  return run && rerunCommand(run, { paths: [], tests: [{ suite, name, file }] })
}

/** A new test may be one that runs no longer contain since it appeared. */
async function findRenames({ db }: Context, row: TestRow, latestRunId: string | undefined): Promise<Names[]> {
  // A test that has run for long was not renamed lately, and most tests have.
  const age = row.lastSeenAt.getTime() - row.firstSeenAt.getTime()
  if (latestRunId === undefined || age > maxRenameAgeMs) return []
  const gone = await db.query<Names[]>(
    `SELECT test_id AS "testId", suite, name, file FROM tests
      WHERE project_id = $1 AND variant = $2 AND test_id <> $3 AND merged_into IS NULL
        AND last_seen_at BETWEEN $4::timestamptz - interval '14 days' AND $4::timestamptz + interval '1 day'
        AND NOT EXISTS (SELECT FROM test_results WHERE run_id = $5 AND test_id = tests.test_id) AND (file IS NOT DISTINCT FROM $6 OR name = $7)
      ORDER BY last_seen_at DESC LIMIT 200`,
    [row.projectId, row.variant, row.testId, row.firstSeenAt, latestRunId, row.file, row.name],
  )
  return likelyRenames(row, gone)
}
