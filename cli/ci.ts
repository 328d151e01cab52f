import { readFile } from 'node:fs/promises'
import { z } from 'zod'

/** The build that a command runs in, according to the CI service. */
export interface CiBuild {
  service: string
  branch: string | undefined
  commitSha: string | undefined
  /** Shared by all jobs of a build. A rerun has another id where the service distinguishes reruns. */
  build: string | undefined
  /** The pull or merge request, and the branch that it is to be merged into. */
  pullRequest: number | undefined
  targetBranch: string | undefined
  /** The commit that the service checked out: for a pull request, it may be a merge that was never pushed. */
  checkedOut: string | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

type Service = readonly [service: string, sign: string, branch: string, commitSha: string, build: string]

/** The environment variables of each service. Of several for branch or commit, the first one that is set counts. */
const services: readonly Service[] = [
  // For a pull request, GITHUB_SHA is a merge commit that was never pushed: see `readEvent`.
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

/** The variables with the number of a pull request, and with the branch that it is to be merged into. */
const pullRequests: Readonly<Record<string, readonly [number: string, targetBranch: string]>> = {
  'GitLab CI': ['CI_MERGE_REQUEST_IID', 'CI_MERGE_REQUEST_TARGET_BRANCH_NAME'],
  Buildkite: ['BUILDKITE_PULL_REQUEST', 'BUILDKITE_PULL_REQUEST_BASE_BRANCH'],
  // CircleCI names the address, which ends with the number.
  CircleCI: ['CIRCLE_PULL_REQUEST', ''],
  'Azure Pipelines': ['SYSTEM_PULLREQUEST_PULLREQUESTNUMBER', 'SYSTEM_PULLREQUEST_TARGETBRANCH'],
  'Bitbucket Pipelines': ['BITBUCKET_PR_ID', 'BITBUCKET_PR_DESTINATION_BRANCH'],
  Jenkins: ['CHANGE_ID', 'CHANGE_TARGET'],
}
/** The variables with the commit that was checked out, where they differ from those of the commit. */
const checkouts: Readonly<Record<string, string>> = {
  'GitHub Actions': 'GITHUB_SHA',
  'GitLab CI': 'CI_COMMIT_SHA',
  'Azure Pipelines': 'BUILD_SOURCEVERSION',
}

/** Returns undefined outside of the known CI services. */
export async function readCiBuild(environment: Environment): Promise<CiBuild | undefined> {
  // Many services set variables to empty text.
  const valuesOf = (names: string) => names.split(' ').flatMap((name) => environment[name] || [])
  const found = services.find(([, sign]) => valuesOf(sign).some((value) => value !== 'false'))
  if (!found) return undefined
  const [service, , branch, commitSha, build] = found
  const event = service === 'GitHub Actions' ? await readEvent(environment['GITHUB_EVENT_PATH']) : undefined
  const [number, target] = pullRequests[service] ?? ['', '']
  const pullRequest = event?.pull_request.number ?? Number(valuesOf(number)[0]?.split('/').at(-1))
  return {
    service,
    // Azure names the ref, and Jenkins can name the branch of the remote.
    branch: valuesOf(branch)[0]?.replace(service === 'Jenkins' ? /^origin\// : /^refs\/heads\//, ''),
    commitSha: event?.pull_request.head.sha ?? valuesOf(commitSha)[0],
    build: valuesOf(build).join('-') || undefined,
    pullRequest: pullRequest > 0 ? pullRequest : undefined,
    targetBranch: event?.pull_request.base.ref ?? valuesOf(target)[0]?.replace(/^refs\/heads\//, ''),
    checkedOut: valuesOf(checkouts[service] ?? commitSha)[0],
  }
}

const Event = z.object({
  pull_request: z.object({
    number: z.int(),
    head: z.object({ sha: z.string() }),
    base: z.object({ ref: z.string() }),
  }),
})

/** Reads the pull request of GitHub's event; undefined for other events. */
async function readEvent(path: string | undefined): Promise<z.infer<typeof Event> | undefined> {
  if (path === undefined) return undefined
  try {
    return Event.safeParse(JSON.parse(await readFile(path, 'utf8'))).data
  } catch {
    return undefined
  }
}
