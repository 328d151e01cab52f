import { IsNull } from 'typeorm'
import { type Context, inTransaction, requireUser, tokenIdOf } from '../base/context.ts'
import { conflict, procedureHint } from '../base/errors.ts'
import { newId } from '../base/ids.ts'
import { freePath, renamedCode } from '../../engines/test-names/free-path.ts'
import { lockOwnProject, type OwnProject } from '../projects/get.ts'
import { emit } from '../events/emit.ts'
import type { CheckedTest } from './check-answer.ts'
import { GeneratedTestEntity, type GeneratedTestRow } from './entity.ts'
import { presentEvent } from './present.ts'
import type { Places } from './test-place.ts'

const maxKept = 2_000
/** Tests for the same code. The tests of a repeated call are among the latest. */
const maxCompared = 50

export interface WrittenFor {
  projectId: string
  commitSha: string
  snapshotId: string | null
  suggestionId: string | null
  /** What the model used for all tests; null if none was asked. */
  tokensUsed: number | null
}

/**
 * Stores tests and emits an event for each. A test with the same code is stored only once, and not again after a user
 * dismissed it, so a repeated call creates no duplicates.
 */
export function storeGeneratedTests(
  ctx: Context,
  written: WrittenFor,
  checked: readonly CheckedTest[],
  { isInUse }: Pick<Places, 'isInUse'>,
): Promise<{ tests: GeneratedTestRow[]; warnings: string[] }> {
  return inTransaction(ctx, async (tx) => {
    // The lock prevents two calls for a project from choosing the same name.
    const project = await lockOwnProject(tx, written.projectId, 'member')
    const repository = tx.db.getRepository(GeneratedTestEntity)
    const suggestionId = await stillThere(tx, written.suggestionId)
    const used = await pathsInUse(tx, project.id)
    const outcome = { tests: [] as GeneratedTestRow[], warnings: [] as string[] }
    let firstNew: GeneratedTestRow | undefined
    for (const test of checked) {
      const known = await findSame(tx, written, test)
      const filePath = freePath(test.filePath, (path) => used.has(path.toLowerCase()) || isInUse(path))
      if (known?.dismissedAt) {
        outcome.warnings.push(`A test was omitted: the same test was dismissed before (${known.id}).`)
      } else if (known) {
        if (outcome.tests.some(({ id }) => id === known.id)) continue
        const row = { ...known, suggestionId: known.suggestionId ?? suggestionId }
        await repository.update({ id: row.id }, { suggestionId: row.suggestionId })
        outcome.tests.push(row)
      } else if (filePath === undefined) {
        outcome.warnings.push(`A test was omitted: all names similar to ${JSON.stringify(test.filePath)} are in use.`)
      } else {
        used.add(filePath.toLowerCase())
        const row = newRow(tx, { ...written, suggestionId }, { ...test, filePath, code: codeFor(test, filePath) })
        await repository.insert(row)
        await emit(tx, { type: 'test.generated', project, data: presentEvent(row) })
        outcome.tests.push(row)
        firstNew ??= row
      }
    }
    await storeUsage(tx, written.tokensUsed, firstNew ?? outcome.tests[0])
    await keepWithinLimit(tx, project.id)
    return outcome
  })
}

/**
 * Checks the limit before the call to the AI service costs money.
 *
 * @throws AppError 409 if the project has the maximum number of tests
 */
export async function requireRoomForTests({ db }: Context, { id: projectId }: OwnProject): Promise<void> {
  const kept = await db.getRepository(GeneratedTestEntity).countBy({ projectId, dismissedAt: IsNull() })
  if (kept >= maxKept) throw tooMany()
}

/** Deletes dismissed tests to make room for new ones. */
async function keepWithinLimit({ db }: Context, projectId: string): Promise<void> {
  const tests = db.getRepository(GeneratedTestEntity)
  const over = (await tests.countBy({ projectId })) - maxKept
  if (over <= 0) return
  await db.query(
    `DELETE FROM generated_tests WHERE id IN (
       SELECT id FROM generated_tests AS test
        WHERE project_id = $1 AND dismissed_at IS NOT NULL
          AND NOT EXISTS (SELECT FROM verifications
                           WHERE generated_test_id = test.id AND status IN ('pending', 'running'))
        ORDER BY dismissed_at LIMIT $2)`,
    [projectId, over],
  )
  if ((await tests.countBy({ projectId })) > maxKept) throw tooMany()
}

const tooMany = () =>
  conflict(
    `This project has ${maxKept.toLocaleString('en')} generated tests, which is the maximum. Dismiss tests that you do not need with generatedTests.dismiss.`,
    procedureHint('generatedTests.dismiss'),
  )

/** The suggestion may have been deleted meanwhile. Its test is stored without it. */
async function stillThere({ db }: Context, suggestionId: string | null): Promise<string | null> {
  if (suggestionId === null) return null
  const rows = await db.query<unknown[]>('SELECT FROM suggestions WHERE id = $1 FOR KEY SHARE', [suggestionId])
  return rows.length > 0 ? suggestionId : null
}

async function pathsInUse({ db }: Context, projectId: string): Promise<Set<string>> {
  const rows = await db.query<{ path: string }[]>(
    'SELECT lower(file_path) AS path FROM generated_tests WHERE project_id = $1 AND dismissed_at IS NULL',
    [projectId],
  )
  return new Set(rows.map(({ path }) => path))
}

/** Compares with the code that the AI service wrote, because a free name may have changed the stored code. */
async function findSame(
  { db }: Context,
  { projectId }: WrittenFor,
  test: CheckedTest,
): Promise<GeneratedTestRow | undefined> {
  const sameTarget = await db
    .getRepository(GeneratedTestEntity)
    .createQueryBuilder('test')
    .where("test.projectId = :projectId AND test.target ->> 'path' = :path", { projectId, path: test.target.path })
    .andWhere("test.target ->> 'symbol' IS NOT DISTINCT FROM :symbol", { symbol: test.target.symbol ?? null })
    .andWhere('test.testType = :testType', { testType: test.testType })
    .orderBy('test.id', 'DESC')
    .take(maxCompared)
    .getMany()
  const same = sameTarget.filter(({ filePath, code }) => code === codeFor(test, filePath))
  return same.find(({ dismissedAt }) => dismissedAt === null) ?? same[0]
}

const codeFor = ({ code, filePath }: CheckedTest, renamed: string) => renamedCode(code, filePath, renamed)

/** Stores what a call used once: with its first new test, or with one that it found again. */
async function storeUsage(
  { db }: Pick<Context, 'db'>,
  tokensUsed: number | null,
  first: GeneratedTestRow | undefined,
): Promise<void> {
  if (tokensUsed === null || !first) return
  await db.query('UPDATE generated_tests SET tokens_used = coalesce(tokens_used, 0) + $2 WHERE id = $1', [
    first.id,
    tokensUsed,
  ])
}

function newRow(tx: Context, written: WrittenFor, test: CheckedTest): GeneratedTestRow {
  return {
    ...test,
    ...written,
    id: newId(tx.now()),
    userId: requireUser(tx).userId,
    tokenId: tokenIdOf(tx),
    verdict: null,
    verificationId: null,
    dismissedAt: null,
    dismissedBy: null,
    dismissedByToken: null,
    tokensUsed: null,
    createdAt: tx.now(),
  }
}
