import { type Context, requireUser } from '../base/context.ts'
import { findFiles } from './find-files.ts'
import { findCommits, findProjects, findRuns, findSuggestions } from './find-records.ts'
import { findTests } from './find-tests.ts'
import { inTurns, type Match } from './match.ts'
import { type Find, SearchKind, type SearchResults } from './schema.ts'
import { searchedProjects } from './searched-projects.ts'

/** How many tests, and how many files, a search looks at: in all projects, or in one. */
const budgets = { all: 10_000, one: 100_000 }

/** Kinds of records that only the scope `tests:read` shows. */
const ofRuns: ReadonlySet<SearchKind> = new Set(['test', 'run'])

interface Found {
  matches: Match[]
  isComplete?: boolean
}

/** Searches the projects that the caller may see. */
export async function find(ctx: Context, input: Find): Promise<SearchResults> {
  const { query, limit, projectId, kinds = SearchKind.options } = input
  const caller = requireUser(ctx)
  const mayReadRuns = caller.kind === 'user' || caller.scopes.includes('tests:read')
  const { projects, areAll } = await searchedProjects(ctx, input)
  const bounds = { limit, budget: projectId === undefined ? budgets.all : budgets.one }
  const finders: Record<SearchKind, () => Found | Promise<Found>> = {
    project: () => ({ matches: findProjects(projects, query, limit) }),
    test: () => findTests(ctx, projects, query, bounds),
    file: () => findFiles(ctx, projects, query, bounds),
    run: async () => ({ matches: await findRuns(ctx, projects, query, limit) }),
    commit: async () => ({ matches: await findCommits(ctx, projects, query, { limit, mayReadRuns }) }),
    suggestion: async () => ({ matches: await findSuggestions(ctx, projects, query, limit) }),
  }
  const searched = SearchKind.options.filter((kind) => kinds.includes(kind) && (mayReadRuns || !ofRuns.has(kind)))
  const found: Found[] = []
  // One after the other, because a call has one connection.
  for (const kind of searched) found.push(await finders[kind]())
  const results = inTurns(
    found.map(({ matches }) => matches),
    limit,
  )
  return {
    results: results.map(({ rank: _rank, ...result }) => result),
    isComplete: areAll && found.every(({ isComplete = true }) => isComplete),
  }
}
