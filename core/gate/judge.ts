import { decideGate, type GateDecision, uncoveredOf } from '../../engines/gate/decide.ts'
import { percentOf } from '../../engines/gate/patch-coverage.ts'
import { nearestTests } from '../../engines/test-names/nearest-test.ts'
import { trendOf } from '../../engines/gate/trend.ts'
import { type Context, inTransaction } from '../base/context.ts'
import { engineRunner } from '../base/engines.ts'
import type { ProjectRow } from '../projects/entity.ts'
import { ownerOf } from '../projects/owner.ts'
import { NothingInCommon } from '../../engines/source/base-reference.ts'
import { RepositoryError } from '../../engines/source/types.ts'
import { RunFailure } from '../workspaces/run-failure.ts'
import type { OpenedSource } from '../workspaces/source.ts'
import { compareGate, withGateSource } from './compare.ts'
import { GateEntity, type GateRow } from './entity.ts'
import { loadFacts, type LoadedFacts, type TestedCommit } from './facts/load-facts.ts'
import { explainFile, filesOfGate, maxExplained } from './files-of-gate.ts'
import { loadGatePolicy } from '../gate-policy/load.ts'
import type { GatePolicy } from '../gate-policy/schema.ts'
import type { FileOfGate, GateFigures } from './schema.ts'
import { announceGate } from './announce.ts'

type Project = Omit<ProjectRow, 'settings'>

/**
 * Decides a gate with everything that is known by now. Does nothing if it knows all requests already.
 *
 * @throws RunFailure if the repository cannot be reached now
 */
export async function judgeGate(ctx: Context, project: Project, found: GateRow): Promise<void> {
  if (found.judged >= found.requests) return
  const policy = await loadGatePolicy(ctx, project.id)
  const gate = found.patch === null ? await compare(ctx, project, found) : found
  const facts = await loadFacts(ctx, gate, policy, (testedSha) => findTested(ctx, project, gate, testedSha))
  const decision = decideGate(facts, policy)
  const files = await explained(ctx, project, gate, facts)
  await inTransaction(ctx, (tx) => store(tx, project, gate, policy, { decision, facts, files }))
}

/** Stores how the commit differs from its base, which never changes, or why that is not known yet. */
async function compare(ctx: Context, project: Project, gate: GateRow): Promise<GateRow> {
  try {
    const compared = { incomparable: null, ...(await compareGate(ctx, project, gate)) }
    await ctx.db.getRepository(GateEntity).update({ id: gate.id }, compared)
    return { ...gate, ...compared }
  } catch (error) {
    // Nobody needs to wait for a repository that could not be reached before.
    if (!(error instanceof RunFailure) || gate.incomparable === null) throw error
    return gate
  }
}

/** Finds how the gate's commit differs from a merge of it that was tested in its place. */
async function findTested(
  ctx: Context,
  project: Project,
  gate: GateRow,
  testedSha: string,
): Promise<TestedCommit | null> {
  try {
    return await withGateSource(ctx, project, gate, async (source) => ({
      changes: await source.changesSince(testedSha),
      hasHead: await mayContain(source, testedSha),
    }))
  } catch (error) {
    ctx.signal.throwIfAborted()
    ctx.log.info({ err: error, gateId: gate.id, testedSha }, 'cannot compare a tested merge with its head')
    return null
  }
}

/** Whether a commit contains that of the source. What is not known counts as contained, such as a merge without its history. */
async function mayContain(source: OpenedSource, testedSha: string): Promise<boolean> {
  try {
    return (await source.changesOnTopOf(testedSha)).baseSha === source.commitSha
  } catch (error) {
    if (!(error instanceof RepositoryError) || !error.code.endsWith('_not_found')) throw error
    return !(error instanceof NothingInCommon)
  }
}

/** Adds symbols and cases of the files with most uncovered lines. Those that the last decision explained stay as they are. */
async function explained(ctx: Context, project: Project, gate: GateRow, { patch }: LoadedFacts): Promise<FileOfGate[]> {
  if (patch === null) return []
  const known = new Map(gate.files?.map((file) => [keyOf(file), file]))
  const files = filesOfGate(patch).map((file) => known.get(keyOf(file)) ?? file)
  const wanted = files.slice(0, maxExplained).filter((file) => !known.has(keyOf(file)) && file.state === 'measured')
  if (wanted.length === 0) return files
  const { sources, nearestTo } = await sourcesOf(ctx, project, gate, wanted)
  const runner = engineRunner(ctx, 'background', ownerOf(project))
  const explained = new Map<string, FileOfGate>()
  for (const file of wanted) {
    const source = sources.get(file.path)
    const near = { ...file, nearestTest: nearestTo(file.path) }
    if (source !== undefined) explained.set(file.path, await explainFile(runner, near, source))
  }
  return files.map((file) => explained.get(file.path) ?? file)
}

const keyOf = ({ path, state, uncovered, partial }: FileOfGate) => JSON.stringify([path, state, uncovered, partial])

async function sourcesOf(ctx: Context, project: Project, gate: GateRow, files: readonly FileOfGate[]) {
  const sources = new Map<string, string>()
  let nearestTo: ReturnType<typeof nearestTests> = () => null
  try {
    await withGateSource(ctx, project, gate, async (source) => {
      nearestTo = nearestTests(source.tree.paths)
      for await (const { path, code } of source.readMany(files.map(({ path }) => path))) sources.set(path, code)
    })
  } catch (error) {
    // Cases are an addition; the decision does not need them.
    if (!(error instanceof RunFailure)) throw error
    ctx.log.info({ err: error, gateId: gate.id }, 'cannot read the uncovered code of a gate')
  }
  return { sources, nearestTo }
}

interface Judgement {
  decision: GateDecision
  facts: LoadedFacts
  files: FileOfGate[]
}

/** Stores a decision, unless another process has stored one that knows more. */
async function store(
  tx: Context,
  project: Project,
  gate: GateRow,
  policy: GatePolicy,
  { decision, facts, files }: Judgement,
): Promise<void> {
  const gates = tx.db.getRepository(GateEntity)
  const before = await gates.findOne({ where: { id: gate.id }, lock: { mode: 'pessimistic_write' } })
  if (!before || before.judged >= gate.requests) return
  const { state, reasons } = decision
  const now = tx.now()
  const change = {
    state,
    reasons,
    figures: figuresOf(facts),
    files,
    mode: policy.mode,
    judged: gate.requests,
    decidedAt: state === 'pending' ? null : (before.decidedAt ?? now),
    updatedAt: now,
  }
  await gates.update({ id: gate.id }, change)
  await announceGate(tx, project, policy, { before, after: { ...before, ...change } })
}

const maxUnmeasured = 50
const maxMatched = 20

function figuresOf({ patch, project, failures, flaky, proof, runs, uploads, matched }: LoadedFacts): GateFigures {
  const unmeasured = patch?.files.flatMap(({ path, state }) => (state === 'unmeasured' ? path : [])) ?? []
  const share = (value: { covered: number; total: number }) => ({ ...value, percent: percentOf(value) })
  const trend = trendOf(project)
  const head = project && percentOf(project.head)
  return {
    lines: share(patch?.lines ?? { covered: 0, total: 0 }),
    branches: patch?.branches ? share(patch.branches) : null,
    uncovered: patch ? uncoveredOf(patch, false) : 0,
    changedFiles: patch?.files.length ?? 0,
    unmeasured: unmeasured.slice(0, maxUnmeasured),
    unmeasuredCount: unmeasured.length,
    project:
      head === null
        ? null
        : {
            head,
            base: trend?.base ?? null,
            change: trend?.change ?? null,
            fromRemoved: trend?.fromRemoved ?? null,
            baseSha: project?.baseSha ?? null,
          },
    failures,
    flaky,
    proof,
    runs: { open: runs.open, ended: runs.ended },
    uploads: uploads ?? { names: [], count: 0, isDone: false },
    matched: matched.slice(0, maxMatched),
  }
}
