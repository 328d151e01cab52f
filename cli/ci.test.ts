import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readCiBuild } from './ci.ts'

const builds: [service: string, environment: Record<string, string>, expected: [string, string, string]][] = [
  [
    'GitHub Actions',
    {
      GITHUB_ACTIONS: 'true',
      GITHUB_HEAD_REF: '',
      GITHUB_REF_NAME: 'main',
      GITHUB_SHA: 'abc',
      GITHUB_RUN_ID: '7',
      GITHUB_RUN_ATTEMPT: '2',
      GITHUB_EVENT_PATH: '/nonexistent',
    },
    ['main', 'abc', '7-2'],
  ],
  [
    'GitLab CI',
    {
      GITLAB_CI: 'true',
      CI_COMMIT_REF_NAME: 'refs/merge-requests/1/head',
      CI_COMMIT_SHA: 'merge',
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'vat',
      CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: 'abc',
      CI_PIPELINE_ID: '7',
    },
    ['vat', 'abc', '7'],
  ],
  [
    'Buildkite',
    { BUILDKITE: 'true', BUILDKITE_BRANCH: 'main', BUILDKITE_COMMIT: 'abc', BUILDKITE_BUILD_ID: '7' },
    ['main', 'abc', '7'],
  ],
  [
    'CircleCI',
    { CIRCLECI: 'true', CIRCLE_BRANCH: 'main', CIRCLE_SHA1: 'abc', CIRCLE_WORKFLOW_ID: '7' },
    ['main', 'abc', '7'],
  ],
  [
    'Azure Pipelines',
    { TF_BUILD: 'True', BUILD_SOURCEBRANCH: 'refs/heads/fix/vat', BUILD_SOURCEVERSION: 'abc', BUILD_BUILDID: '7' },
    ['fix/vat', 'abc', '7'],
  ],
  [
    'Bitbucket Pipelines',
    { BITBUCKET_BUILD_NUMBER: '7', BITBUCKET_BRANCH: 'main', BITBUCKET_COMMIT: 'abc' },
    ['main', 'abc', '7'],
  ],
  [
    'Jenkins',
    {
      JENKINS_URL: 'https://ci.example.com',
      GIT_BRANCH: 'origin/main',
      GIT_COMMIT: 'abc',
      BUILD_TAG: 'jenkins-shop-7',
    },
    ['main', 'abc', 'jenkins-shop-7'],
  ],
]

test.each(builds)('reads branch, commit and build of %s', async (service, environment, [branch, commitSha, build]) => {
  expect(await readCiBuild(environment)).toMatchObject({ service, branch, commitSha, build })
})

const pullRequests: [service: string, environment: Record<string, string>, expected: object][] = [
  [
    'GitLab CI',
    {
      GITLAB_CI: 'true',
      CI_COMMIT_SHA: 'merge',
      CI_MERGE_REQUEST_IID: '12',
      CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: 'abc',
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
    },
    { pullRequest: 12, targetBranch: 'main', commitSha: 'abc', checkedOut: 'merge' },
  ],
  [
    'Buildkite',
    { BUILDKITE: 'true', BUILDKITE_PULL_REQUEST: '12', BUILDKITE_PULL_REQUEST_BASE_BRANCH: 'main' },
    { pullRequest: 12, targetBranch: 'main' },
  ],
  ['Buildkite', { BUILDKITE: 'true', BUILDKITE_PULL_REQUEST: 'false' }, { pullRequest: undefined }],
  [
    'CircleCI',
    { CIRCLECI: 'true', CIRCLE_PULL_REQUEST: 'https://github.com/octocat/shop/pull/12' },
    { pullRequest: 12, targetBranch: undefined },
  ],
  [
    'Azure Pipelines',
    {
      TF_BUILD: 'True',
      BUILD_SOURCEVERSION: 'merge',
      SYSTEM_PULLREQUEST_PULLREQUESTNUMBER: '12',
      SYSTEM_PULLREQUEST_TARGETBRANCH: 'refs/heads/main',
      SYSTEM_PULLREQUEST_SOURCECOMMITID: 'abc',
    },
    { pullRequest: 12, targetBranch: 'main', commitSha: 'abc', checkedOut: 'merge' },
  ],
  [
    'Bitbucket Pipelines',
    { BITBUCKET_BUILD_NUMBER: '7', BITBUCKET_PR_ID: '12', BITBUCKET_PR_DESTINATION_BRANCH: 'main' },
    { pullRequest: 12, targetBranch: 'main' },
  ],
  [
    'Jenkins',
    { JENKINS_URL: 'https://ci.example.com', CHANGE_ID: '12', CHANGE_TARGET: 'main' },
    { pullRequest: 12, targetBranch: 'main' },
  ],
]

test.each(pullRequests)('reads the pull request of %s', async (_service, environment, expected) => {
  expect(await readCiBuild(environment)).toMatchObject(expected)
})

test('reads the pull request of GitHub from the event, and the merge that it checked out', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'assay-event-'))
  const GITHUB_EVENT_PATH = join(directory.path, 'event.json')
  await writeFile(
    GITHUB_EVENT_PATH,
    JSON.stringify({ pull_request: { number: 12, head: { sha: 'abc' }, base: { ref: 'main' } } }),
  )
  const environment = { GITHUB_ACTIONS: 'true', GITHUB_SHA: 'merge', GITHUB_HEAD_REF: 'vat', GITHUB_EVENT_PATH }
  expect(await readCiBuild(environment)).toMatchObject({
    branch: 'vat',
    commitSha: 'abc',
    pullRequest: 12,
    targetBranch: 'main',
    checkedOut: 'merge',
  })
})

test('guesses nothing for an unknown CI service', async () => {
  expect(await readCiBuild({ CI: 'true', GIT_COMMIT: 'abc' })).toBeUndefined()
})
