import { gateTitle } from '../../../engines/gate/table.ts'
import type { Context } from '../../base/context.ts'
import { gateUrl } from '../../base/page-urls.ts'
import { postComment, postReport } from '../../code-host-posts/post.ts'
import type { Annotation } from '../../code-host-posts/schema.ts'
import type { GatePolicy } from '../../gate-policy/schema.ts'
import type { GateRow } from '../entity.ts'
import { conclusionOf } from '../present.ts'
import { gateMarkdown } from './markdown.ts'

export const gateContext = 'assay/gate'

const maxAnnotations = 100

/** Shows a gate at the code host, in the caller's transaction: on its commit, and at its pull request where it says something. */
export async function postGate(tx: Context, policy: GatePolicy, gate: GateRow): Promise<void> {
  // The code host knows no snapshots. A gate that somebody only asked for concerns nobody else.
  if (gate.headSha === null || gate.snapshotId !== null || gate.pullRequest === null) return
  const url = gateUrl(tx, gate)
  const body = gateMarkdown(gate, url)
  await postReport(tx, {
    projectId: gate.projectId,
    commitSha: gate.headSha,
    context: gateContext,
    state: conclusionOf(gate),
    title: gateTitle(gate.state, gate.reasons, gate.mode),
    summary: body,
    annotations: annotationsOf(gate),
    targetUrl: url,
  })
  if (!policy.comment || gate.state === 'pending' || !(await isLatest(tx, gate))) return
  await postComment(tx, {
    projectId: gate.projectId,
    pullRequest: gate.pullRequest,
    body,
    create: hasSomethingToSay(gate),
  })
}

/** Whether the gate is about the latest commit of its pull request. The comment says nothing of earlier ones. */
async function isLatest({ db }: Context, { id, projectId, pullRequest }: GateRow): Promise<boolean> {
  const [latest] = await db.query<{ id: string }[]>(
    'SELECT id FROM gates WHERE project_id = $1 AND pull_request = $2 ORDER BY id DESC LIMIT 1',
    [projectId, pullRequest],
  )
  return latest?.id === id
}

/** Whether something is uncovered, unmeasured, new, flaky or red. */
function hasSomethingToSay({ state, files, figures }: GateRow): boolean {
  const tests = (figures?.failures.freshCount ?? 0) + (figures?.flaky.freshCount ?? 0)
  return state !== 'success' || (files?.length ?? 0) > 0 || tests > 0
}

function annotationsOf({ files }: GateRow): Annotation[] {
  return (files ?? [])
    .flatMap(({ path, uncovered, cases, symbol }) =>
      uncovered.map(([startLine, endLine]): Annotation => {
        const within = cases.filter(({ line }) => line >= startLine - 1 && line <= endLine)
        const where = symbol === null ? '' : ` of ${symbol}`
        return {
          path,
          startLine,
          endLine,
          level: 'warning',
          title: startLine === endLine ? 'No test runs this line' : 'No test runs these lines',
          message:
            within.length === 0
              ? `No test runs ${startLine === endLine ? `line ${startLine}` : `lines ${startLine} to ${endLine}`}${where}.`
              : within.map(({ text }) => text).join('\n'),
        }
      }),
    )
    .slice(0, maxAnnotations)
}
