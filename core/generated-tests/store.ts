import { IsNull } from 'typeorm'
import { type Context, inTransaction, requireUser } from '../base/context.ts'
import { conflict, procedureHint } from '../base/errors.ts'
import { newId } from '../base/ids.ts'
import { freePath, renamedCode } from '../../engines/test-names/free-path.ts'
import { lockOwnProject, type OwnProject } from '../projects/get.ts'
import { emit } from '../events/emit.ts'
import type { CheckedTest } from './check-answer.ts'
import { GeneratedTestEntity, type GeneratedTestRow } from './entity.ts'
import { presentEvent } from './present.ts'
import type { Places } from './test-place.ts'

const mostKept = 2_000
/** Of those for the same code; what a repeated call wrote is among the latest. */
const mostCompared = 50

export interface WrittenFor {
  projectId: string
  commitSha: string
  suggestionId: string | null
}

/**
 * Keeps tests and tells of each. One that was written before, to the letter, is kept once, and not again after somebody
 * has dismissed it: so a call that is repeated makes nothing twice.
 */
export function storeGeneratedTests(
  ctx: Context,
  written: WrittenFor,
  checked: readonly CheckedTest[],
  { isInUse }: Pick<Places, 'isInUse'>,
): Promise<{ tests: GeneratedTestRow[]; warnings: string[] }> {
  return inTransaction(ctx, async (tx) => {
    // One at a time per project, so that no two take the same name.
    const project = await lockOwnProject(tx, written.projectId, 'member')
    const repository = tx.db.getRepository(GeneratedTestEntity)
    const suggestionId = await stillThere(tx, written.suggestionId)
    const used = await pathsInUse(tx, project.id)
    const outcome = { tests: [] as GeneratedTestRow[], warnings: [] as string[] }
    for (const test of checked) {
      const known = await findSame(tx, written, test)
      const filePath = freePath(test.filePath, (path) => used.has(path.toLowerCase()) || isInUse(path))
      if (known?.dismissedAt) {
        outcome.warnings.push(`A test was left out: the same one was dismissed before (${known.id}).`)
      } else if (known) {
        if (outcome.tests.some(({ id }) => id === known.id)) continue
        const row = { ...known, suggestionId: known.suggestionId ?? suggestionId }
        await repository.update({ id: row.id }, { suggestionId: row.suggestionId })
        outcome.tests.push(row)
      } else if (filePath === undefined) {
        outcome.warnings.push(`A test was left out: every name like ${JSON.stringify(test.filePath)} is in use.`)
      } else {
        used.add(filePath.toLowerCase())
        const row = newRow(tx, { ...written, suggestionId }, { ...test, filePath, code: codeFor(test, filePath) })
        await repository.insert(row)
        await emit(tx, { type: 'test.generated', project, data: presentEvent(row) })
        outcome.tests.push(row)
      }
    }
    await keepWithinLimit(tx, project.id)
    return outcome
  })
}

/**
 * Asked before tests are paid for.
 *
 * @throws AppError 409 where the project has as many tests as it may have
 */
export async function requireRoomForTests({ db }: Context, { id: projectId }: OwnProject): Promise<void> {
  const kept = await db.getRepository(GeneratedTestEntity).countBy({ projectId, dismissedAt: IsNull() })
  if (kept >= mostKept) throw tooMany()
}

/** Dismissed ones make room for others. */
async function keepWithinLimit({ db }: Context, projectId: string): Promise<void> {
  const tests = db.getRepository(GeneratedTestEntity)
  const over = (await tests.countBy({ projectId })) - mostKept
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
  if ((await tests.countBy({ projectId })) > mostKept) throw tooMany()
}

const tooMany = () =>
  conflict(
    `This project has ${mostKept.toLocaleString('en')} generated tests, which is as many as are kept. Dismiss some that nobody needs, with generatedTests.dismiss.`,
    procedureHint('generatedTests.dismiss'),
  )

/** Suggestions are cleared away; nobody needs this one to keep its test. */
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

/** By what the AI service wrote, whatever name had to be found for it. */
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
    .take(mostCompared)
    .getMany()
  const same = sameTarget.filter(({ filePath, code }) => code === codeFor(test, filePath))
  return same.find(({ dismissedAt }) => dismissedAt === null) ?? same[0]
}

const codeFor = ({ code, filePath }: CheckedTest, renamed: string) => renamedCode(code, filePath, renamed)

function newRow(tx: Context, { projectId, commitSha, suggestionId }: WrittenFor, test: CheckedTest): GeneratedTestRow {
  return {
    ...test,
    id: newId(tx.now()),
    projectId,
    userId: requireUser(tx).userId,
    suggestionId,
    commitSha,
    verdict: null,
    verificationId: null,
    dismissedAt: null,
    createdAt: tx.now(),
  }
}
