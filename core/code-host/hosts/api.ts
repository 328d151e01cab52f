import type { CodeHostClient } from '../rest-client.ts'
import type { CodeHostKind } from '../schema.ts'

/** Runs `work` with a client of an account. It throws only errors of `explainRefusal`. */
export type CallHost = <T>(work: (client: CodeHostClient) => Promise<T>) => Promise<T>

export type ReportState = 'pending' | 'success' | 'failure' | 'error' | 'neutral'

/** A commit status: one line per commit and context. */
export interface HostStatus {
  commitSha: string
  context: string
  state: ReportState
  description: string
  targetUrl: string | null
}

export interface HostAnnotation {
  path: string
  startLine: number
  endLine: number
  level: 'notice' | 'warning' | 'failure'
  title: string
  message: string
}

/** A check run of GitHub: a status with a page and annotations. */
export interface HostCheckRun {
  commitSha: string
  context: string
  state: ReportState
  title: string
  summary: string
  targetUrl: string | null
  externalId: string
}

/** A check run as the code host has it. */
export interface FoundCheckRun {
  id: string
  externalId: string
  annotations: number
  isCompleted: boolean
}

/** GitHub accepts this many annotations in one call. */
export const annotationsPerCall = 50

/** The check runs of the app. */
export interface CheckRuns {
  /** Returns the app's check runs of a commit with this name, the newest first. */
  list(commitSha: string, context: string): Promise<FoundCheckRun[]>
  get(id: string): Promise<FoundCheckRun>
  /** Creates a check run with at most `annotationsPerCall` annotations. */
  create(run: HostCheckRun, annotations: readonly HostAnnotation[]): Promise<FoundCheckRun>
  /** Replaces everything but the annotations, which are added to earlier ones. */
  update(id: string, run: HostCheckRun, annotations: readonly HostAnnotation[]): Promise<FoundCheckRun>
}

export interface HostComment {
  id: string
  body: string
}

/** A pull request, or a merge request of GitLab. */
export interface PullRequest {
  number: number
  title: string
  headSha: string
  headBranch: string
  baseBranch: string
  /** The head of the base branch when the code host last looked at it; null if it has not yet. */
  baseSha: string | null
  /** Whether the head is in another repository. */
  isFork: boolean
  isOpen: boolean
  url: string
}

export interface PullRequestQuery {
  headSha?: string | undefined
  branch?: string | undefined
}

/**
 * A repository at a code host, with one account. Every method throws `AppError`: TIMEOUT if the call may have had an
 * effect, RATE_LIMITED, and other codes if the code host refused it.
 */
export interface CodeHostApi {
  kind: CodeHostKind
  /** Names the account for its rate limit. */
  account: string
  /** Names host, repository and account. Ids of check runs and comments belong to it. */
  place: string
  /** Only a GitHub App has check runs. */
  checks: CheckRuns | undefined
  postStatus(status: HostStatus): Promise<void>
  /** Checks whether this status is the latest of its context. */
  hasStatus(status: HostStatus): Promise<boolean>
  /** Finds the oldest comment of this account that begins with the text. */
  findComment(pullRequest: number, beginning: string): Promise<HostComment | undefined>
  createComment(pullRequest: number, body: string): Promise<HostComment>
  /** Replaces the text of a comment; returns false if the comment does not exist. */
  editComment(pullRequest: number, id: string, body: string): Promise<boolean>
  findPullRequest(number: number): Promise<PullRequest | undefined>
  /** Finds the open pull request with this head, the newest if there are several. */
  findPullRequestOf(query: PullRequestQuery): Promise<PullRequest | undefined>
  /** Checks whether a user may push to the repository. */
  mayWrite(login: string): Promise<boolean>
  /**
   * Checks that the account may do what Assay needs. Returns what is missing as a sentence; undefined if nothing is.
   */
  findMissing(): Promise<string | undefined>
}
