import { createTRPCClient, httpLink } from '@trpc/client'
import type { AppRouter } from '../../core/router.ts'
import type { UserRow } from '../../core/identity/users/entity.ts'
import { insertToken } from '../../core/identity/tokens/insert.ts'
import { Scope } from '../../core/base/schema.ts'
import { createProjectFor } from '../../core/testing/factories.ts'
import type { TestCandidate } from '../../engines/analysis/schema.ts'
import { fillArtifacts } from './artifacts.ts'
import { fillChanges } from './changes.ts'
import { fillCoverage } from './coverage.ts'
import { type Habit, habits as allHabits, idWith } from './habits.ts'
import { fillQuarantine, judgeRuns } from './health.ts'
import { fillConnection } from './connection.ts'
import { fillGates } from './gates.ts'
import { fillHostile, type Hostile } from './hostile.ts'
import { fillLogs } from './logs.ts'
import { fillSelections } from './selections.ts'
import { createPeople, type People } from './people.ts'
import { fillProof } from './proof.ts'
import { after, createRandom, day } from './random.ts'
import { publishedRepositories, readRepository, type Repository } from './repositories.ts'
import { fillRuns } from './runs.ts'
import { readSources } from './sources.ts'
import { fillStrength } from './strength.ts'
import type { Scene, Target } from './target.ts'
import { uploadShards } from './upload.ts'
import { fillInbound, fillWebhooks } from './webhooks.ts'

export interface FillOptions {
  /** Paths of repositories; by default those of some npm packages. */
  repositories?: readonly string[]
  /** How many of the default repositories. */
  projects?: number
  /** Runs of each project. */
  runs?: number
  /** Results of all runs together. */
  results?: number
  /** The number of results of one more run; 0 for none. */
  largeRun?: number
  /** The number of lines of the longest log. */
  logLines?: number
  /** Whether to add a project in which every text is hostile. */
  hostile?: boolean
}

/** What the data of one project contains, for the addresses of its pages. */
export interface FilledProject {
  id: string
  name: string
  runIds: { newest: string; failed: string; passed: string; errored: string; large: string | undefined; upload: string }
  testId: string
  /** Tests by how they behave. */
  testIds: Partial<Record<Habit, string>>
  /** A source file with coverage. */
  path: string
  generatedTestIds: readonly string[]
  verificationIds: readonly string[]
  changeIds: readonly string[]
  gateIds: readonly string[]
  measurementIds: readonly string[]
  webhookIds: readonly string[]
}

export interface Filled extends People {
  projects: FilledProject[]
  hostile: Hostile | undefined
  /** A project without runs. */
  emptyProjectId: string
}

const small = { projects: 1, runs: 40, results: 2_000, largeRun: 0, logLines: 2_000, hostile: true } as const
const full = { projects: 3, runs: 200, results: 50_000, largeRun: 100_000, logLines: 200_000, hostile: true } as const
export const sizes = { small, full } as const

/** Fills the database of a running server with data as a team has it after some weeks. */
export async function fillWithData(
  app: Target,
  options: FillOptions = {},
  say: (step: string) => void = () => {},
): Promise<Filled> {
  const now = app.services.now()
  const given = { ...full, ...options }
  const people = await createPeople(app, now)
  const repositories = options.repositories
    ? await Promise.all(options.repositories.map(readRepository))
    : await publishedRepositories(now, given.projects)
  say('Created people and repositories')
  const { plainToken: token } = await insertToken(app.dataSource.manager, {
    userId: people.owner.id,
    name: 'CI of all projects',
    scopes: [...Scope.options],
    projectId: null,
    expiresAt: after(now, 60 * day),
    createdAt: now,
  })
  const projects: FilledProject[] = []
  for (const [index, repository] of repositories.entries()) {
    const tests = Math.max(20, Math.round(given.results / (given.runs * repositories.length)))
    const sized = { ...given, tests, ...(index > 0 && { largeRun: 0, logLines: 0 }) }
    projects.push(await fillProject(app, { people, repository, token, now, seed: index + 1 }, sized))
    say(`Filled ${repository.name}`)
  }
  const [first] = repositories
  if (!first) throw new Error('There is no repository to fill the database with.')
  const place = { user: people.owner, organizationId: people.organization.id, repository: first.path }
  const hostile = given.hostile ? await fillHostile(app, place, now) : undefined
  const empty = await createProjectFor(app, { ...place, name: 'payments', branch: first.branch })
  return { ...people, projects, hostile, emptyProjectId: empty.id }
}

interface Given {
  people: People
  repository: Repository
  token: string
  now: Date
  seed: number
}

async function fillProject(
  app: Target,
  { people, repository, token, now, seed }: Given,
  options: Required<Omit<FillOptions, 'repositories'>> & { tests: number },
): Promise<FilledProject> {
  const { owner, organization } = people
  const project = await createProjectFor(app, {
    user: owner,
    organizationId: organization.id,
    name: repository.name,
    description: repository.description || null,
    repository: repository.path,
    branch: repository.branch,
  })
  const [sources, candidates] = await Promise.all([readSources(repository.path), analyze(app, token, project.id)])
  const userIds = [owner, people.admin, people.member].map(({ id }: UserRow) => id)
  const scene: Scene = {
    app,
    project,
    repository,
    sources,
    random: createRandom(seed),
    now,
    userIds,
    isFirst: seed === 1,
  }
  const { rows, large, failingTestId, habits } = await fillRuns(scene, options)
  await fillCoverage(scene, rows, 60)
  const recent = rows.filter(({ startedAt }) => startedAt !== null).slice(0, 25)
  await fillLogs(scene, recent, options)
  await fillArtifacts(scene, recent.slice(1, 6))
  const { generatedTestIds, verificationIds } = await fillProof(scene, candidates)
  const changeIds = await fillChanges(scene)
  const gateIds = await fillGates(scene, rows, changeIds)
  await fillSelections(scene, rows)
  const measurementIds = await fillStrength(scene)
  const webhookIds = await fillWebhooks(scene)
  await fillInbound(scene)
  await fillConnection(scene)
  const upload = await uploadShards(scene, token)
  // The tests of the large run would fill the list of tests.
  const judged = rows.map(({ id }) => id)
  await judgeRuns(app, [...judged, upload])
  await fillQuarantine(scene, habits, rows)
  const newest = rows[0]?.id ?? ''
  const first = (fits: (run: (typeof rows)[number]) => boolean) => rows.find(fits)?.id ?? newest
  return {
    id: project.id,
    name: project.name,
    runIds: {
      newest,
      failed: first(({ failedTests }) => failedTests > 0),
      passed: first(
        ({ status, failedTests, coverage }) => status === 'COMPLETED' && failedTests === 0 && coverage !== null,
      ),
      errored: first(({ status }) => status === 'FAILED'),
      large: large?.id,
      upload,
    },
    testId: failingTestId ?? sources.tests[0]?.id ?? '',
    testIds: Object.fromEntries(allHabits.map((habit) => [habit, idWith(habits, habit)])),
    path: (sources.files.find(({ code }) => code.length > 80) ?? sources.files[0])?.path ?? '',
    generatedTestIds,
    verificationIds,
    changeIds,
    gateIds,
    measurementIds,
    webhookIds,
  }
}

async function analyze(app: Target, token: string, projectId: string): Promise<readonly TestCandidate[]> {
  const client = createTRPCClient<AppRouter>({
    links: [httpLink({ url: `${app.url}/trpc`, headers: { authorization: `Bearer ${token}` } })],
  })
  const { testCandidates = [] } = await client.analysis.analyzeRepository.mutate({ projectId })
  return testCandidates
}
