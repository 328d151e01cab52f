import { readFile } from 'node:fs/promises'
import { z } from 'zod'

/** The build that a command runs in, according to the CI service. */
export interface CiBuild {
  service: string
  branch: string | undefined
  commitSha: string | undefined
  /** Shared by all jobs of a build. A rerun has another id where the service distinguishes reruns. */
  build: string | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

type Service = readonly [service: string, sign: string, branch: string, commitSha: string, build: string]

/** The environment variables of each service. Of several for branch or commit, the first one that is set counts. */
const services: readonly Service[] = [
  // For a pull request, GITHUB_SHA is a merge commit that was never pushed: see `headOfPullRequest`.
  [
    'GitHub Actions',
    'GITHUB_ACTIONS',
    'GITHUB_HEAD_REF GITHUB_REF_NAME',
    'GITHUB_SHA',
    'GITHUB_RUN_ID GITHUB_RUN_ATTEMPT',
  ],
  [
    'GitLab CI',
    'GITLAB_CI',
    'CI_MERGE_REQUEST_SOURCE_BRANCH_NAME CI_COMMIT_REF_NAME',
    'CI_MERGE_REQUEST_SOURCE_BRANCH_SHA CI_COMMIT_SHA',
    'CI_PIPELINE_ID',
  ],
  ['Buildkite', 'BUILDKITE', 'BUILDKITE_BRANCH', 'BUILDKITE_COMMIT', 'BUILDKITE_BUILD_ID'],
  ['CircleCI', 'CIRCLECI', 'CIRCLE_BRANCH', 'CIRCLE_SHA1', 'CIRCLE_WORKFLOW_ID'],
  [
    'Azure Pipelines',
    'TF_BUILD',
    'SYSTEM_PULLREQUEST_SOURCEBRANCH BUILD_SOURCEBRANCH',
    'SYSTEM_PULLREQUEST_SOURCECOMMITID BUILD_SOURCEVERSION',
    'BUILD_BUILDID SYSTEM_STAGEATTEMPT',
  ],
  ['Bitbucket Pipelines', 'BITBUCKET_BUILD_NUMBER', 'BITBUCKET_BRANCH', 'BITBUCKET_COMMIT', 'BITBUCKET_BUILD_NUMBER'],
  ['Jenkins', 'JENKINS_URL', 'CHANGE_BRANCH BRANCH_NAME GIT_BRANCH', 'GIT_COMMIT', 'BUILD_TAG'],
]

/** Returns undefined outside of the known CI services. */
export async function readCiBuild(environment: Environment): Promise<CiBuild | undefined> {
  // Many services set variables to empty text.
  const valuesOf = (names: string) => names.split(' ').flatMap((name) => environment[name] || [])
  const found = services.find(([, sign]) => valuesOf(sign).some((value) => value !== 'false'))
  if (!found) return undefined
  const [service, , branch, commitSha, build] = found
  const isGitHub = service === 'GitHub Actions'
  return {
    service,
    // Azure names the ref, and Jenkins can name the branch of the remote.
    branch: valuesOf(branch)[0]?.replace(service === 'Jenkins' ? /^origin\// : /^refs\/heads\//, ''),
    commitSha:
      (isGitHub ? await headOfPullRequest(environment['GITHUB_EVENT_PATH']) : undefined) ?? valuesOf(commitSha)[0],
    build: valuesOf(build).join('-') || undefined,
  }
}

const Event = z.object({ pull_request: z.object({ head: z.object({ sha: z.string() }) }) })

async function headOfPullRequest(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined
  try {
    return Event.safeParse(JSON.parse(await readFile(path, 'utf8'))).data?.pull_request.head.sha
  } catch {
    return undefined
  }
}
