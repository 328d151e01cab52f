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
  expect(await readCiBuild(environment)).toEqual({ service, branch, commitSha, build })
})

test('guesses nothing for an unknown CI service', async () => {
  expect(await readCiBuild({ CI: 'true', GIT_COMMIT: 'abc' })).toBeUndefined()
})
