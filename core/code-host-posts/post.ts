import type { Context } from '../base/context.ts'
import { storableJson } from '../base/storable-json.ts'
import { CommitStatus, PullRequestComment, Report } from './schema.ts'

export const postQueue = 'code-host-posts'

export type PostKind = 'report' | 'comment'

/** Identifies what one job posts. */
export interface PostKey {
  projectId: string
  kind: PostKind
  /** `<commit>/<context>` of a report, the number of a pull request. */
  target: string
}

export interface PostJob extends PostKey {
  version: number
}

type Transaction = Pick<Context, 'db' | 'jobs'>

/** Check runs have a page of their own, but nobody reads more remarks than this. */
const maxAnnotations = 1_000
/** Longer texts are cut. GitHub accepts 65,535 characters. */
const maxSummary = 60_000
const maxTitle = 250

/**
 * Posts a report on a commit if, and only if, the caller's transaction commits. A later report of the same context
 * replaces one that still waits, and an earlier one never arrives last. At most 1,000 annotations are posted.
 */
export async function postReport(tx: Transaction, input: Report): Promise<void> {
  const report = Report.parse(input)
  const { projectId, commitSha, context } = report
  await enqueuePost(
    tx,
    { projectId, kind: 'report', target: `${commitSha}/${context}` },
    {
      ...report,
      title: cut(report.title, maxTitle),
      summary: cut(report.summary, maxSummary),
      annotations: report.annotations
        .slice(0, maxAnnotations)
        .map(({ startLine, endLine, title, message, ...rest }) => ({
          ...rest,
          startLine,
          endLine: Math.max(startLine, endLine),
          title: cut(title, maxTitle),
          message: cut(message, 10_000),
        })),
    },
  )
}

/** Posts a report that is only a line. */
export async function postCommitStatus(tx: Transaction, status: CommitStatus): Promise<void> {
  const { description, ...rest } = CommitStatus.parse(status)
  await postReport(tx, { ...rest, title: description, summary: '', annotations: [] })
}

/**
 * Posts or edits the one comment of the project at a pull request if, and only if, the caller's transaction commits. Texts
 * that the author of a repository chose must go through `markdown.ts`.
 */
export async function postComment(tx: Transaction, input: PullRequestComment): Promise<void> {
  const comment = PullRequestComment.parse(input)
  const { projectId, pullRequest } = comment
  await enqueuePost(
    tx,
    { projectId, kind: 'comment', target: String(pullRequest) },
    {
      ...comment,
      body: cut(comment.body, maxSummary),
    },
  )
}

async function enqueuePost({ db, jobs }: Transaction, key: PostKey, content: object): Promise<void> {
  const [posted] = await db.query<[{ version: number }]>(
    `INSERT INTO code_host_posts AS p (project_id, kind, target, content, version)
     VALUES ($1, $2, $3, $4, 1)
     ON CONFLICT (project_id, kind, target) DO UPDATE
        SET content = $4, version = p.version + 1, failures = 0, failing_since = NULL, updated_at = now()
     RETURNING version`,
    [key.projectId, key.kind, key.target, storableJson(content)],
  )
  const job: PostJob = { ...key, version: posted.version }
  await jobs.enqueue(db, postQueue, job, { group: groupOf(key) })
}

export const groupOf = ({ projectId, kind, target }: PostKey) => `${projectId}/${kind}/${target}`

function cut(value: string, max: number): string {
  return value.length > max ? `${value.slice(0, max - 1).toWellFormed()}…` : value
}
