import { ofWholeBranch } from '../coverage/whole-runs.ts'
import type { Site } from '../base/page-urls.ts'
import { Raw } from 'typeorm'
import { containsText } from '../base/contains-text.ts'
import type { Context } from '../base/context.ts'
import { ProjectEntity, type ProjectRow } from '../projects/entity.ts'
import { ownProjects } from '../projects/get.ts'
import { presentProject } from '../projects/present.ts'
import type { TestRunRow } from '../test-runs/entity.ts'
import { reportedStatus } from '../test-runs/present.ts'
import { branchParameters, givenBranches, hasOutcome, type ProjectBranch } from './runs-of-branch.ts'
import type { GetOverview, Overview, ProjectOverview } from './schema.ts'
import { countStreaks, findStandings, type Standing } from './standings.ts'

const stripLength = 20

type Project = Omit<ProjectRow, 'settings'>
type Coverage = ProjectOverview['coverage']

/** What decides the place of a project in the list. */
interface Figures {
  project: Project
  standing: Standing | undefined
  coverage: Coverage
}

/** Lists the caller's projects with the state of their branches. The number of queries does not depend on the projects. */
export async function getOverview(ctx: Context, input: GetOverview): Promise<Overview> {
  const { search, sort, limit, offset } = input
  const projects = await ctx.db.getRepository(ProjectEntity).find({
    where: {
      ...ownProjects(ctx, input.organizationId),
      ...(search ? { name: Raw((column) => containsText(column, ':search'), { search }) } : {}),
    },
    order: { id: 'DESC' },
  })
  const ofPage = (sorted: readonly Project[]) => sorted.slice(offset, offset + limit)
  // Names decide without the figures of the other pages.
  const considered = sort === 'name' ? ofPage(projects.toSorted(byName)) : projects
  const figures = await findFigures(ctx, considered)
  const page =
    sort === 'name'
      ? figures
      : figures.toSorted(sort === 'latest' ? byLatest : byAttention).slice(offset, offset + limit)
  const details = await findDetails(ctx, page)
  return {
    projects: page.map((each) => present(ctx, each, details(each.project.id))),
    pagination: { total: projects.length, limit, offset },
  }
}

async function findFigures(ctx: Context, projects: readonly Project[]): Promise<Figures[]> {
  const branches = projects.map(branchOf)
  const standings = await findStandings(ctx, branches)
  const coverage = await findCoverage(ctx, branches)
  return projects.map((project) => ({
    project,
    standing: standings.get(project.id),
    coverage: coverage.get(project.id) ?? null,
  }))
}

const branchOf = ({ id, branch }: Project): ProjectBranch => ({ projectId: id, branch })

const byName = (a: Project, b: Project) => compare(a.name.toLowerCase(), b.name.toLowerCase()) || compare(a.id, b.id)

const byLatest = (a: Figures, b: Figures) => latestOf(b) - latestOf(a) || compare(b.project.id, a.project.id)

function byAttention(a: Figures, b: Figures): number {
  const difference = urgency(a) - urgency(b)
  if (difference !== 0) return difference
  if (urgency(a) === 0) return failingSince(a) - failingSince(b) || byLatest(a, b)
  if (urgency(a) === 1) return change(a) - change(b) || byLatest(a, b)
  return byLatest(a, b)
}

/** 0 for failing projects, 1 for those whose coverage fell, 2 for the others. */
function urgency(figures: Figures): 0 | 1 | 2 {
  if (isFailing(figures.standing)) return 0
  return change(figures) < 0 ? 1 : 2
}

const isFailing = (standing: Standing | undefined) => standing !== undefined && standing.status !== 'passing'
const failingSince = ({ standing }: Figures) => standing?.streak.createdAt.getTime() ?? 0
const change = ({ coverage }: Figures) => coverage?.change ?? 0
const latestOf = ({ standing }: Figures) => standing?.latest.createdAt.getTime() ?? 0
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Compares the latest run with coverage of each branch with the one before. */
async function findCoverage({ db }: Context, branches: readonly ProjectBranch[]): Promise<Map<string, Coverage>> {
  const rows = await db.query<{ projectId: string; percents: number[] }[]>(
    `SELECT given.project_id AS "projectId", ARRAY(
        SELECT coverage FROM test_runs
         WHERE project_id = given.project_id AND branch = given.branch AND ${ofWholeBranch} AND coverage IS NOT NULL
         ORDER BY id DESC LIMIT 2) AS percents
       FROM ${givenBranches}`,
    branchParameters(branches),
  )
  return new Map(
    rows.map(({ projectId, percents: [percent, before] }) => [
      projectId,
      percent === undefined ? null : { percent, change: before === undefined ? null : round(percent - before) },
    ]),
  )
}

/** Removes the error of a subtraction of binary fractions. */
const round = (percent: number) => Math.round(percent * 100) / 100

type Counts = Pick<ProjectOverview, 'activeRuns' | 'queuedRuns' | 'openSuggestions'>

interface Details extends Counts {
  streakRuns: number
  strip: ProjectOverview['strip']
}

type StripRow = Pick<TestRunRow, 'status' | 'commitSha' | 'totalTests' | 'failedTests' | 'mutedTests' | 'createdAt'> & {
  projectId: string
  runId: string
}

/** Loads what only the projects of the page need. */
async function findDetails(ctx: Context, page: readonly Figures[]): Promise<(projectId: string) => Details> {
  const { db } = ctx
  const failing = page.flatMap(({ standing }) => (standing && isFailing(standing) ? [standing] : []))
  const streaks = await countStreaks(ctx, failing)
  const branches = page.map(({ project }) => branchOf(project))
  const strips = await db.query<StripRow[]>(
    `SELECT given.project_id AS "projectId", run.*
       FROM ${givenBranches}
      CROSS JOIN LATERAL (
        SELECT id AS "runId", status, commit_sha AS "commitSha", total_tests AS "totalTests",
               failed_tests AS "failedTests", muted_tests AS "mutedTests", created_at AS "createdAt"
          FROM test_runs
         WHERE project_id = given.project_id AND branch = given.branch AND ${ofWholeBranch}
           AND (status IN ('PENDING', 'RUNNING', 'CANCELLED') OR ${hasOutcome})
         ORDER BY id DESC LIMIT ${stripLength}) AS run
      ORDER BY run."runId" DESC`,
    branchParameters(branches),
  )
  const counts = await db.query<({ projectId: string } & Counts)[]>(
    `SELECT given.id AS "projectId", runs.*,
            (SELECT count(*)::int FROM suggestions WHERE project_id = given.id AND status = 'open') AS "openSuggestions"
       FROM unnest($1::text[]) AS given (id)
      CROSS JOIN LATERAL (
        SELECT count(*)::int AS "activeRuns", (count(*) FILTER (WHERE status = 'PENDING'))::int AS "queuedRuns"
          FROM test_runs WHERE project_id = given.id AND status IN ('PENDING', 'RUNNING')) AS runs`,
    [branches.map(({ projectId }) => projectId)],
  )
  const stripOf = Map.groupBy(strips, ({ projectId }) => projectId)
  const countsOf = new Map(counts.map((row) => [row.projectId, row]))
  return (projectId) => ({
    streakRuns: streaks.get(projectId) ?? 0,
    strip: (stripOf.get(projectId) ?? []).map(presentPoint),
    activeRuns: countsOf.get(projectId)?.activeRuns ?? 0,
    queuedRuns: countsOf.get(projectId)?.queuedRuns ?? 0,
    openSuggestions: countsOf.get(projectId)?.openSuggestions ?? 0,
  })
}

const presentPoint = (row: StripRow): ProjectOverview['strip'][number] => ({
  runId: row.runId,
  reportedStatus: reportedStatus(row),
  createdAt: row.createdAt.toISOString(),
  commitSha: row.commitSha,
  totalTests: row.totalTests,
  failedTests: row.failedTests,
  mutedTests: row.mutedTests,
})

function present(
  site: Site,
  { project, standing, coverage }: Figures,
  { strip, streakRuns, ...counts }: Details,
): ProjectOverview {
  const isRunning = strip.some(({ reportedStatus: status }) => status === 'PENDING' || status === 'RUNNING')
  return {
    ...presentProject(site, project),
    health: standing?.status ?? (isRunning ? 'running' : 'unknown'),
    strip,
    failingSince:
      standing && isFailing(standing)
        ? { ...standing.streak, createdAt: standing.streak.createdAt.toISOString(), runs: streakRuns }
        : null,
    coverage,
    flakyTests: standing?.latest.flakyTests ?? 0,
    ...counts,
  }
}
