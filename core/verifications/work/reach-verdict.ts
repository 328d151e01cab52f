import { join } from 'node:path'
import type { Context } from '../../base/context.ts'
import { withRetry } from '../../base/retry.ts'
import { loadProjectSettings } from '../../projects/settings.ts'
import { storableJson } from '../../base/storable-json.ts'
import { detectLanguage } from '../../../engines/languages/detect.ts'
import { testRole } from '../../../engines/test-names/roles.ts'
import { makeWorkDirectory } from '../../workspaces/directories.ts'
import { masked } from '../../workspaces/mask.ts'
import { RunFailure } from '../../workspaces/run-failure.ts'
import { unloggedWork } from '../../workspaces/unlogged-work.ts'
import { engineRunner } from '../../base/engines.ts'
import { ownerOf } from '../../projects/owner.ts'
import { describeTesting } from '../../../engines/test-plan/describe-testing.ts'
import { namedTests } from '../../../engines/test-plan/named-tests.ts'
import type { PlanPart } from '../../../engines/test-plan/plan.ts'
import { findGoModulesApart, planTask } from '../../../engines/test-plan/detect-apart.ts'
import { storedSnapshot } from '../../snapshots/stored-snapshot.ts'
import { withSource } from '../../workspaces/source.ts'
import { trustIn } from '../../workspaces/trust.ts'
import { baselineKey, contentKey } from './content-key.ts'
import { VerificationEntity, type VerificationRow } from '../entity.ts'
import { planTest } from '../proof/plan-test.ts'
import { type Proof, proveTest } from '../proof/prove.ts'
import type { Evidence } from '../../../engines/verdicts/schema.ts'
import type { VerificationPhase } from '../schema.ts'
import type { VerificationEnd } from '../state.ts'
import type { VerdictScope } from '../../verdicts/job.ts'
import { findKnownResult } from '../../verdicts/state.ts'
import { openWorkspace } from '../proof/workspace.ts'

const maxWarnings = 50

/**
 * Reaches the verdict of a verification.
 *
 * @throws RunFailure if Assay cannot reach a verdict
 */
export async function reachVerdict(
  ctx: Context,
  scope: VerdictScope<VerificationRow, VerificationPhase>,
): Promise<VerificationEnd> {
  const { row: verification, project, directory, secrets, mask, report } = scope
  const begunAt = performance.now()
  const warnings = new Set<string>()
  report('fetching')
  const settings = await withRetry(() => loadProjectSettings(ctx, project.id), ctx.signal)
  const executor = await scope.findExecutor()
  const test = { path: verification.filePath, code: verification.code }
  const checkout = join(directory, 'checkout')
  const runner = engineRunner(ctx, 'background', ownerOf(project))
  runner.warm(planTask)
  const snapshot = await storedSnapshot(ctx, project, verification)
  const fetched = await withSource(ctx, project, { ...verification, snapshot }, async (source) => {
    requirePlace(source.tree.paths, test.path)
    const hasFile = source.tree.paths.includes(test.path)
    const isCommitted = hasFile && isSameText(await source.tree.read(test.path), test.code)
    const plan = await planTest(runner, source.tree, settings, test, isCommitted)
    requireNoProgram(source.tree.paths, test.path, plan.part)
    const whyUntrusted = await source.whyUntrusted()
    const trust = trustIn(source, whyUntrusted)
    const environment = whyUntrusted === null ? secrets : {}
    const { commitSha } = source
    const hidden = isCommitted ? test.path : null
    const ground = { commitSha, parts: plan.parts, trust, settings, executor, environment, hidden }
    const key = contentKey(ground, { ...verification, withSecrets: verification.withSecrets && whyUntrusted === null })
    await withRetry(() => storeKnown(ctx, verification, { commitSha, branch: verification.branch ?? source.branch }))
    const known = verification.again
      ? null
      : await withRetry(() => findKnownResult(ctx, VerificationEntity, verification, key))
    if (!known) {
      await makeWorkDirectory(ctx.config, directory, executor)
      await source.checkOut(checkout)
    }
    const goModules = await findGoModulesApart(runner, source.tree, [plan.part])
    return { source, plan, hasFile, isCommitted, goModules, whyUntrusted, trust, environment, ground, key, known }
  })
  const { source, plan, isCommitted, environment, key, known } = fetched
  if (known) return { status: 'completed', contentKey: key, ...known }
  if (fetched.whyUntrusted !== null) warnings.add(fetched.whyUntrusted)
  if (plan.warning !== undefined) warnings.add(plan.warning)
  if (source.hasSubmodules) warnings.add('Assay does not fetch the submodules of the repository.')
  if (isCommitted) {
    warnings.add(`The commit contains this ${test.path}, so Assay compared it with the other tests only.`)
  } else if (fetched.hasFile) {
    warnings.add(
      `The commit contains another version of ${test.path}, so Assay compared the test with all tests of the commit, including that version.`,
    )
  }

  using inUse = new DisposableStack()
  const given = { ctx, project, settings, executor, checkout, directory, trust: fetched.trust, inUse, environment }
  const { work, explained } = unloggedWork(given, mask, () => report('installing'))
  const { goModules } = fetched
  const opening = { runner, work, source, plan, goModules, test, isCommitted, mask }
  const workspace = await openWorkspace(opening).catch((error: unknown) => {
    throw explained(error)
  })
  const warn = (message: string) => void warnings.add(message)
  const task = { ctx, runner, verification, workspace, settings, isFirst: plan.isFirst, report, warn }
  const whole = (evidence: Proof['evidence']) => completed(evidence, [...warnings], performance.now() - begunAt, mask)
  const publish = ({ verdict, evidence }: Proof) =>
    withRetry(() => storeKnown(ctx, verification, { verdict, evidence: whole(evidence) }))
  const { verdict, evidence } = await proveTest(task, baselineKey(fetched.ground), publish)
  return { status: 'completed', verdict, contentKey: key, evidence: whole(evidence) }
}

/** Whether two texts differ at most in their line endings, which Git can change in a working tree. */
const isSameText = (original: string | null, code: string) =>
  original?.replaceAll('\r\n', '\n') === code.replaceAll('\r\n', '\n')

/** Rejects a path that is a folder, or is below a file. */
function requirePlace(paths: readonly string[], path: string): void {
  const names = path.split('/')
  const above = new Set(names.map((_, depth) => names.slice(0, depth).join('/')))
  const inTheWay = paths.find((other) => above.has(other))
  const problem =
    inTheWay === undefined
      ? paths.some((other) => other.startsWith(`${path}/`)) && `${path} is a folder of the repository.`
      : `${inTheWay} is a file of the repository, so the path cannot be below it.`
  if (problem) throw new RunFailure('invalid', `${problem} Use another path for the test.`)
}

/** Rejects a path of program code: replacing it would change the code that the test is judged on. */
function requireNoProgram(paths: readonly string[], path: string, part: PlanPart): void {
  if (!paths.includes(path) || testRole(path, detectLanguage(path, null)) === 'test') return
  if (namedTests([describeTesting(part)])(path)) return
  throw new RunFailure(
    'invalid',
    `${path} is a file of the repository, and its name is not the name of a test. Use another path, next to the project's other tests.`,
  )
}

async function storeKnown(
  ctx: Context,
  { id, attempt }: VerificationRow,
  known: Partial<Pick<VerificationRow, 'commitSha' | 'branch' | 'verdict' | 'evidence'>>,
): Promise<void> {
  await ctx.db.getRepository(VerificationEntity).update({ id, attempt, status: 'running' }, known)
}

function completed(
  evidence: Proof['evidence'],
  warnings: readonly string[],
  durationMs: number,
  mask: (text: string) => string,
): Evidence {
  const whole = { ...evidence, warnings: warnings.slice(0, maxWarnings), durationMs: Math.round(durationMs) }
  return JSON.parse(storableJson(masked(whole, mask))) as Evidence
}
