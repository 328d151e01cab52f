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

/** Returns undefined outside of the known CI services. */
export async function readCiBuild(environment: Environment): Promise<CiBuild | undefined> {
  // Many services set variables to empty text.
  const env = (name: string) => environment[name] || undefined
  const isSet = (name: string) => env(name) !== undefined
  if (env('GITHUB_ACTIONS') === 'true') {
    const attempt = env('GITHUB_RUN_ATTEMPT') ?? '1'
    return {
      service: 'GitHub Actions',
      branch: env('GITHUB_HEAD_REF') ?? env('GITHUB_REF_NAME'),
      // For a pull request, GITHUB_SHA is a merge commit that was never pushed.
      commitSha: (await headOfPullRequest(env('GITHUB_EVENT_PATH'))) ?? env('GITHUB_SHA'),
      build: joined(env('GITHUB_RUN_ID'), attempt),
    }
  }
  if (isSet('GITLAB_CI')) {
    return {
      service: 'GitLab CI',
      branch: env('CI_MERGE_REQUEST_SOURCE_BRANCH_NAME') ?? env('CI_COMMIT_REF_NAME'),
      commitSha: env('CI_MERGE_REQUEST_SOURCE_BRANCH_SHA') ?? env('CI_COMMIT_SHA'),
      build: env('CI_PIPELINE_ID'),
    }
  }
  if (isSet('BUILDKITE')) {
    return {
      service: 'Buildkite',
      branch: env('BUILDKITE_BRANCH'),
      commitSha: env('BUILDKITE_COMMIT'),
      build: env('BUILDKITE_BUILD_ID'),
    }
  }
  if (isSet('CIRCLECI')) {
    return {
      service: 'CircleCI',
      branch: env('CIRCLE_BRANCH'),
      commitSha: env('CIRCLE_SHA1'),
      build: env('CIRCLE_WORKFLOW_ID'),
    }
  }
  if (isSet('TF_BUILD')) {
    return {
      service: 'Azure Pipelines',
      branch: (env('SYSTEM_PULLREQUEST_SOURCEBRANCH') ?? env('BUILD_SOURCEBRANCH'))?.replace(/^refs\/heads\//, ''),
      commitSha: env('SYSTEM_PULLREQUEST_SOURCECOMMITID') ?? env('BUILD_SOURCEVERSION'),
      build: joined(env('BUILD_BUILDID'), env('SYSTEM_STAGEATTEMPT')),
    }
  }
  if (isSet('BITBUCKET_BUILD_NUMBER')) {
    return {
      service: 'Bitbucket Pipelines',
      branch: env('BITBUCKET_BRANCH'),
      commitSha: env('BITBUCKET_COMMIT'),
      build: env('BITBUCKET_BUILD_NUMBER'),
    }
  }
  if (isSet('JENKINS_URL')) {
    return {
      service: 'Jenkins',
      branch: env('CHANGE_BRANCH') ?? env('BRANCH_NAME') ?? env('GIT_BRANCH')?.replace(/^origin\//, ''),
      commitSha: env('GIT_COMMIT'),
      build: env('BUILD_TAG'),
    }
  }
  return undefined
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

const joined = (...parts: (string | undefined)[]) =>
  parts[0] === undefined ? undefined : parts.filter((part) => part !== undefined).join('-')
