import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Build, changes, type CiScene, createCiScene, type Environment, shop } from './testing/ci-scene.ts'
import { readAction, readWorkflow, stepsOfJob } from './testing/github.ts'
import { stepsOfPipeline } from './testing/jenkinsfile.ts'
import { blocksOf, buildkiteSteps, circleSteps, gitlabSteps } from './testing/recipes.ts'
import type { Step } from './testing/steps.ts'

const page = readFileSync(join(import.meta.dirname, 'ci.md'), 'utf8')
const action = readAction(readFileSync(resolve(import.meta.dirname, '../packaging/action/action.yml'), 'utf8'))
const testCommand = /^\| node:test +\| `(.+)` +\|$/m.exec(page)?.[1] ?? ''

// Each test starts dozens of processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 300_000 })

let scene: CiScene
beforeAll(async () => {
  // The exit code tells failed tests from a failed gate.
  scene = await createCiScene(shop(`(${testCommand}) || exit 3`))
  await scene.policy({ mode: 'enforced' })
})
afterAll(() => scene[Symbol.asyncDispose]())

const recipe = (heading: string, language = 'yaml') => {
  const [code, ...others] = blocksOf(page, heading, language)
  if (code === undefined || others.length > 0) throw new Error(`${heading} does not have one recipe`)
  return code
}

interface Service {
  steps: (build: Build) => Step[]
  /** The variables of the service, as its documentation defines them. */
  environment: (build: Build, folder: string) => Environment | Promise<Environment>
  /** Tests a merge in place of the head of a pull request. */
  testsMerge?: boolean
}

const withoutToken = () => {
  const { SVC_API_TOKEN: _, ...others } = scene.variables
  return others
}

const eventOf = ({ head, pullRequest }: Build) =>
  pullRequest === undefined
    ? { ref: 'refs/heads/x' }
    : { pull_request: { number: pullRequest, head: { sha: head, repo: { fork: false } }, base: { ref: 'main' } } }

const contextsOf = (build: Build, isFork = false) => {
  const { SVC_API_TOKEN, ...vars } = scene.variables
  const event = eventOf(build)
  if (event.pull_request) event.pull_request.head.repo.fork = isFork
  return { vars, secrets: isFork ? {} : { SVC_API_TOKEN }, github: { event } }
}

const github = {
  environment: async (build: Build, folder: string) => {
    await writeFile(join(folder, 'event.json'), JSON.stringify(eventOf(build)))
    return githubVariables(build, folder)
  },
  testsMerge: true,
}

const githubVariables = (build: Build, folder: string) => ({
  CI: 'true',
  GITHUB_ACTIONS: 'true',
  GITHUB_EVENT_NAME: build.pullRequest === undefined ? 'push' : 'pull_request',
  GITHUB_EVENT_PATH: join(folder, 'event.json'),
  GITHUB_HEAD_REF: build.pullRequest === undefined ? '' : build.branch,
  GITHUB_BASE_REF: build.pullRequest === undefined ? '' : 'main',
  GITHUB_REF: build.pullRequest === undefined ? `refs/heads/${build.branch}` : `refs/pull/${build.pullRequest}/merge`,
  GITHUB_REF_NAME: build.pullRequest === undefined ? build.branch : `${build.pullRequest}/merge`,
  GITHUB_SHA: build.checkedOut,
  GITHUB_RUN_ID: '1658821493',
  GITHUB_RUN_ATTEMPT: '1',
  RUNNER_TEMP: folder,
})

const ofPullRequest = ({ pullRequest }: Build, variables: Record<string, string>) =>
  pullRequest === undefined ? {} : variables

const services: Record<string, Service> = {
  'GitHub Actions': {
    ...github,
    steps: (build) => stepsOfJob(recipe('GitHub Actions'), 'test', contextsOf(build)),
  },
  'GitLab CI': {
    // Images such as those of Alpine have no bash.
    steps: ({ pullRequest }) => gitlabSteps(recipe('GitLab CI'), pullRequest === undefined ? 'sh' : 'bash'),
    environment: (build) => ({
      CI: 'true',
      GITLAB_CI: 'true',
      CI_COMMIT_SHA: build.checkedOut,
      CI_COMMIT_REF_NAME: build.branch,
      CI_PIPELINE_ID: '1000',
      ...ofPullRequest(build, {
        CI_COMMIT_REF_NAME: `refs/merge-requests/${build.pullRequest}/merge`,
        CI_MERGE_REQUEST_IID: String(build.pullRequest),
        CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: build.branch,
        CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: build.head,
        CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
      }),
      ...scene.variables,
    }),
    testsMerge: true,
  },
  Jenkins: {
    steps: () => stepsOfPipeline(recipe('Jenkins', 'groovy'), { 'assay-token': scene.variables.SVC_API_TOKEN }),
    environment: (build, folder) => ({
      CI: 'true',
      JENKINS_URL: 'https://ci.example.com/',
      BUILD_TAG: `jenkins-shop-${build.branch.replaceAll('/', '-')}-1`,
      BRANCH_NAME: build.branch,
      GIT_BRANCH: build.branch,
      GIT_COMMIT: build.checkedOut,
      WORKSPACE_TMP: join(folder, 'checkout@tmp'),
      ...ofPullRequest(build, {
        BRANCH_NAME: `PR-${build.pullRequest}`,
        GIT_BRANCH: `PR-${build.pullRequest}`,
        CHANGE_ID: String(build.pullRequest),
        CHANGE_BRANCH: build.branch,
        CHANGE_TARGET: 'main',
      }),
      ...withoutToken(),
    }),
  },
  Buildkite: {
    steps: () => buildkiteSteps(recipe('Buildkite')),
    environment: (build) => ({
      CI: 'true',
      BUILDKITE: 'true',
      BUILDKITE_BRANCH: build.branch,
      // A build that is started by hand has no id.
      BUILDKITE_COMMIT: build.pullRequest === undefined ? 'HEAD' : build.head,
      BUILDKITE_BUILD_ID: '0192d7c5-0000-4000-8000-000000000000',
      BUILDKITE_PULL_REQUEST: String(build.pullRequest ?? false),
      BUILDKITE_PULL_REQUEST_BASE_BRANCH: build.pullRequest === undefined ? '' : 'main',
      ...scene.variables,
    }),
  },
  CircleCI: {
    steps: () => circleSteps(recipe('CircleCI')),
    environment: (build) => ({
      CI: 'true',
      CIRCLECI: 'true',
      CIRCLE_BRANCH: build.branch,
      CIRCLE_SHA1: build.head,
      CIRCLE_WORKFLOW_ID: '5a5b5c5d-0000-4000-8000-000000000000',
      ...ofPullRequest(build, { CIRCLE_PULL_REQUEST: `https://github.com/octocat/shop/pull/${build.pullRequest}` }),
      ...scene.variables,
    }),
  },
}

const runRecipe = ({ steps, environment }: Service, build: Build) =>
  scene.run(steps(build), build, (folder) => environment(build, folder))

async function passesTestedPullRequest(service: Service): Promise<void> {
  const build = await scene.openPullRequest(changes.tested, { testsMerge: service.testsMerge ?? false })
  const job = await runRecipe(service, build)
  expect(job.isRed, job.printed).toBe(false)
  expect(job.printed).toMatch(/✓\s+Patch coverage\s+3 of 3 changed lines are covered /)
  expect(await scene.runs(build)).toMatchObject([
    {
      branch: build.branch,
      pull_request: build.pullRequest,
      tested_sha: service.testsMerge === true ? build.checkedOut : null,
      total_tests: 2,
      failed_tests: 0,
    },
  ])
  expect(await scene.gates(build)).toMatchObject([{ pullRequest: build.pullRequest, conclusion: 'success' }])
}

async function failsByTheGate(service: Service): Promise<void> {
  const build = await scene.push(changes.failing)
  const job = await runRecipe(service, build)
  expect(job.isRed, job.printed).toBe(true)
  expect(job.printed).toMatch(/✗\s+New failures\s+1 test fails with the change: .*doubles/)
  // The tests themselves end with 3.
  expect(job.ran.at(-1)?.exitCode).toBe(1)
  expect(await scene.runs(build)).toMatchObject([
    { branch: build.branch, pull_request: null, total_tests: 2, failed_tests: 1 },
  ])
  expect(await scene.gates(build)).toMatchObject([{ pullRequest: null, conclusion: 'failure' }])
}

test.each(Object.entries(services))(
  '%s passes a tested pull request, and fails by the gate after it has uploaded failed tests',
  async (_name, service) => {
    await Promise.all([passesTestedPullRequest(service), failsByTheGate(service)])
  },
)

// The tests of the action show how it fails.
test.concurrent('the action passes a tested pull request', () =>
  passesTestedPullRequest({
    ...github,
    steps: (build) => stepsOfJob(recipe('As an action'), 'test', contextsOf(build), action),
  }))

test.concurrent('a shell script outside of known services takes branch and commit from the checkout', async () => {
  const script = recipe('Any other service', 'sh')
  const stepsOf = ({ branch }: Build): Step[] => [
    { shell: ['sh', '-e'], script: `git checkout -q -b ${branch}` },
    { shell: ['sh'], script },
  ]
  const run = (build: Build) => scene.run(stepsOf(build), build, () => scene.variables)
  const untested = await scene.push(changes.untested)
  const red = await run(untested)
  expect(red.printed).toMatch(/✗\s+Patch coverage\s+\d of 3 changed lines/)
  expect(red.printed).toMatch(/src\/cart\.js\s+6-7 in twice/)
  expect(red.ran.at(-1)?.exitCode, red.printed).toBe(1)

  await scene.policy({ mode: 'informational' })
  const failing = await scene.push(changes.failing)
  const informational = await run(failing)
  await scene.policy({ mode: 'enforced' })
  expect(informational.printed).toContain('rule fails (informational): 1 test fails with the change')
  expect(informational.ran.at(-1)?.exitCode, 'the exit code of the tests').toBe(3)
  expect(await scene.runs(failing)).toMatchObject([{ branch: failing.branch, failed_tests: 1 }])
})

test('jobs with shards become one run, and the gate waits until the last job says that no more come', async () => {
  await scene.policy({ uploads: { untilDone: true } })
  const sharded = testCommand.replace('node --test', 'node --test --test-shard="${1#--shard=}"')
  const build = await scene.openPullRequest(
    {
      ...shop('sh test.sh'),
      ...changes.tested,
      'test.sh': `${sharded}\n`,
      'test/other.test.js': "import test from 'node:test'\ntest('something else', () => {})\n",
    },
    { testsMerge: true },
  )
  const run = (job: string, shard?: number) =>
    scene.run(
      stepsOfJob(recipe('Shards'), job, { ...contextsOf(build), ...(shard !== undefined && { matrix: { shard } }) }),
      build,
      (folder) => github.environment(build, folder),
    )
  for (const shard of await Promise.all([run('test', 1), run('test', 2)]))
    expect(shard.isRed, shard.printed).toBe(false)
  expect(await scene.runs(build)).toMatchObject([{ pull_request: build.pullRequest, total_tests: 3 }])
  expect(await scene.gates(build)).toMatchObject([{ conclusion: 'pending' }])
  const last = await run('gate')
  expect(last.isRed, last.printed).toBe(false)
  expect(last.printed).toContain('All rules hold')
  await scene.policy({ uploads: { untilDone: false } })
})

test('workflows of GitHub upload nothing for forks, which have no secrets', () => {
  const head = 'a'.repeat(40)
  const contexts = contextsOf({ branch: 'fix', head, checkedOut: head, pullRequest: 7 }, true)
  for (const heading of ['GitHub Actions', 'As an action', 'Shards']) {
    const steps = stepsOfJob(recipe(heading), 'test', { ...contexts, matrix: { shard: 1 } }, action)
    expect(steps.map(({ script }) => script).join('\n'), heading).toMatch(/^npm ci\nnpm test\b.*$/)
  }
  expect(stepsOfJob(recipe('Shards'), 'gate', contexts)).toEqual([])
})

test('no script of GitHub contains an expression, which could contain a script', () => {
  for (const heading of ['GitHub Actions', 'As an action', 'Shards']) {
    for (const { steps } of Object.values(readWorkflow(recipe(heading)).jobs)) {
      for (const step of steps) if ('run' in step) expect(step.run).not.toContain('${{')
    }
  }
})
