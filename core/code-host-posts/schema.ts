import { z } from 'zod'

const targetUrl = z.url({ protocol: /^https?$/ }).nullable()

/** A remark on lines of the commit. Its texts are plain text. */
export const Annotation = z.object({
  path: z.string().min(1).max(4_096),
  startLine: z.int().positive(),
  endLine: z.int().positive(),
  level: z.enum(['notice', 'warning', 'failure']),
  title: z.string(),
  message: z.string().min(1),
})
export type Annotation = z.infer<typeof Annotation>

/** What Assay says about a commit at the code host: a check run, or a commit status. */
export const Report = z.object({
  projectId: z.string(),
  commitSha: z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/),
  /** Identifies the reporter. For each context of a commit the code host shows the latest state. */
  context: z.string().min(1).max(255),
  state: z.enum(['pending', 'success', 'failure', 'error', 'neutral']),
  /** One line of plain text. */
  title: z.string(),
  /** Markdown; shown only by check runs. */
  summary: z.string(),
  /** Shown only by check runs. */
  annotations: z.array(Annotation),
  targetUrl,
})
export type Report = z.infer<typeof Report>

export const CommitStatus = z.object({
  ...Report.pick({ projectId: true, commitSha: true, context: true, targetUrl: true }).shape,
  state: z.enum(['pending', 'success', 'failure', 'error']),
  description: z.string(),
})
export type CommitStatus = z.infer<typeof CommitStatus>

/** The comment of a project at a pull request. */
export const PullRequestComment = z.object({
  projectId: z.string(),
  pullRequest: z.int().positive(),
  /** Markdown. */
  body: z.string().min(1),
  /** Whether a comment is created if there is none, also if somebody deleted it. */
  create: z.boolean(),
})
export type PullRequestComment = z.infer<typeof PullRequestComment>
