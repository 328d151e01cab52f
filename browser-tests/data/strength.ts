import { storeFileStrength } from '../../core/coverage/strength.ts'
import { createMeasurementFor } from '../../core/strength/testing.ts'
import type { StrengthEvidence } from '../../engines/strength/schema.ts'
import type { MeasuredFile } from '../../engines/strength/file-strength.ts'
import { mutantsAt } from './mutants.ts'
import { gitIn } from './repositories.ts'
import { after, before, day, hour, idAt, minute, second } from './random.ts'
import type { SourceFile } from './sources.ts'
import type { Scene } from './target.ts'

type Counts = Pick<StrengthEvidence, 'found' | 'reached' | 'tried' | 'noticed' | 'timedOut' | 'survived' | 'strength'>

/** Fills measurements of the strength of tests, some with survivors on real lines, and returns their ids. */
export async function fillStrength(scene: Scene): Promise<string[]> {
  const { app, project, now, repository, sources } = scene
  const files = sources.files.filter(({ code }) => code.length > 20).slice(0, 12)
  const ids: string[] = []
  for (let number = 0; number < 6; number++) {
    const createdAt = before(now, number * 6 * day + 3 * hour)
    const measured = files.slice(0, number % 2 === 0 ? 12 : 5)
    const commitSha = repository.commits[Math.min(number, repository.commits.length - 1)] ?? null
    const isPartial = number === 2
    const { id } = await createMeasurementFor(app, {
      id: idAt(createdAt),
      projectId: project.id,
      userId: scene.userIds[number % scene.userIds.length] ?? '',
      branch: repository.branch,
      commitSha,
      status: 'completed',
      verdict: isPartial ? 'partial' : 'measured',
      evidence: evidenceOf(scene, measured, number, isPartial),
      attempt: 1,
      createdAt,
      startedAt: after(createdAt, second),
      completedAt: after(createdAt, 3 * minute),
    })
    ids.push(id)
  }
  await storeLatest(scene, files)
  const commitSha = repository.commits[0] ?? null
  const of = { projectId: project.id, userId: scene.userIds[0] ?? '', branch: repository.branch, commitSha }
  const startedAt = before(now, minute)
  const running = await createMeasurementFor(app, {
    ...of,
    id: idAt(startedAt),
    status: 'running',
    createdAt: startedAt,
    startedAt,
    progress: { phase: 'trying_mutants', done: 40, total: 212 },
  })
  const failedAt = before(now, 9 * day)
  await createMeasurementFor(app, {
    ...of,
    id: idAt(failedAt),
    createdAt: failedAt,
    completedAt: failedAt,
    status: 'failed',
    error: { code: 'install_failed', message: 'npm ci ended with exit code 1.' },
  })
  return [...ids, running.id]
}

function evidenceOf(
  { sources, random }: Scene,
  files: readonly SourceFile[],
  number: number,
  isPartial: boolean,
): StrengthEvidence {
  const counted = files.map((file): Counts & { path: string } => {
    const found = Math.ceil(file.code.length / 3)
    const reached = Math.ceil(found * 0.8)
    const tried = isPartial ? Math.ceil(reached / 2) : reached
    const survived = Math.floor(tried * (0.08 + number * 0.02 + random.next() * 0.2))
    return { path: file.path, ...countsOf(found, reached, tried, survived) }
  })
  const survivors = files.flatMap(({ path, lines }) =>
    mutantsAt(sources, path, 1, lines.length, 3).map((mutant): StrengthEvidence['survivors'][number] => {
      const nearest = sources.tests[mutant.line % Math.max(1, sources.tests.length)]
      return {
        ...mutant,
        column: 1,
        context: null,
        symbol: null,
        case: null,
        nearestTest: nearest ? { path: nearest.file, name: nearest.name } : null,
        tests: random.between(1, 40),
        advice: `Assert what ${path} does when \`${mutant.original.slice(0, 60)}\` decides the other way.`,
      }
    }),
  )
  const folders = [...Map.groupBy(counted, ({ path }) => path.split('/').slice(0, -1).join('/'))]
    .filter(([folder]) => folder !== '')
    .map(([path, own]) => ({ path, ...sumOf(own) }))
  return {
    reason: isPartial ? 'budget_used' : 'all_tried',
    summary: isPartial
      ? 'The time was over before every change was tried. Ask for more time with budgetSeconds.'
      : `Tests notice most of the changes that were tried. ${survivors.length} changes are accepted by all of them.`,
    ...sumOf(counted),
    kept: number * 20,
    files: counted,
    folders,
    survivors,
    survivorsLeftOut: number === 0 ? 14 : 0,
    unreached: {
      changes: 31,
      lines: 24,
      files: counted.slice(0, 3).map(({ path }) => ({ path, changes: 8, lines: 6, at: [3, 8, 13, 21] })),
    },
    sample: { tried: 12, disagreed: 0 },
    tests: { run: sources.tests.length, failing: 1, kept: 20, failingTests: [] },
    warnings: number === 1 ? ['1 test fails without any change, so it tries none.'] : [],
    durationMs: 171_000,
  }
}

function sumOf(files: readonly Counts[]): Counts {
  const sum = (name: 'found' | 'reached' | 'tried' | 'survived') => files.reduce((total, file) => total + file[name], 0)
  return countsOf(sum('found'), sum('reached'), sum('tried'), sum('survived'))
}

function countsOf(found: number, reached: number, tried: number, survived: number): Counts {
  const noticed = tried - survived
  const percent = Math.round((noticed / tried) * 1_000) / 10
  const interval: [number, number] = [Math.max(0, percent - 6), Math.min(100, percent + 5)]
  return { found, reached, tried, noticed, timedOut: 0, survived, strength: tried > 0 ? { percent, interval } : null }
}

/** Stores the latest strength of files under the id of their content, as the code view looks for it. */
async function storeLatest({ app, project, repository, sources, now }: Scene, files: readonly SourceFile[]) {
  const git = gitIn(repository.path)
  const commitSha = repository.commits[0] ?? ''
  const measured: MeasuredFile[] = []
  for (const { path, lines, code } of files) {
    const survivors = mutantsAt(sources, path, 1, lines.length, 8).map(
      ({ line, original, replacement }) => [line, original, replacement] as const,
    )
    const ofLine = new Set(survivors.map(([line]) => line))
    measured.push({
      path,
      contentId: await git('rev-parse', `HEAD:${path}`),
      commitSha,
      reached: code.length,
      lines: code
        .filter((line) => line % 2 === 0 || ofLine.has(line))
        .map((line) => [line, 2, +ofLine.has(line)] as const),
      survivors,
      noticed: [],
    })
  }
  await app.dataSource.transaction((db) =>
    storeFileStrength({ db, now: () => now }, { projectId: project.id, snapshotId: null, files: measured }),
  )
}
