import { storeFileStrength } from '../../core/coverage/strength.ts'
import { createMeasurementFor } from '../../core/strength/testing.ts'
import { verdictOf } from '../../engines/strength/evidence.ts'
import { fileStrengths } from '../../engines/strength/file-strength.ts'
import { evidenceFor, findMutants, tallyOf } from './measured-mutants.ts'
import { gitIn } from './repositories.ts'
import { after, before, day, hour, idAt, minute, second } from './random.ts'
import type { Scene } from './target.ts'

const durationMs = 3 * minute

/**
 * Fills measurements of the strength of tests, with survivors in real code, and returns their ids. The newest one is what
 * other pages say of the files.
 */
export async function fillStrength(scene: Scene): Promise<string[]> {
  const { app, project, now, repository, sources } = scene
  const files = sources.files.filter(({ code }) => code.length > 20).slice(0, 12)
  const mutants = await findMutants(files)
  const ids: string[] = []
  for (let number = 0; number < 6; number++) {
    const createdAt = before(now, number * 6 * day + 3 * hour)
    const startedAt = after(createdAt, second)
    const commitSha = repository.commits[Math.min(number, repository.commits.length - 1)] ?? null
    const tally = tallyOf(mutants, sources, { number, isPartial: number === 2 })
    const evidence = evidenceFor(mutants, sources, tally, durationMs)
    const { id } = await createMeasurementFor(app, {
      id: idAt(createdAt),
      projectId: project.id,
      userId: scene.userIds[number % scene.userIds.length] ?? '',
      branch: repository.branch,
      commitSha,
      status: 'completed',
      verdict: verdictOf(evidence),
      evidence,
      attempt: 1,
      createdAt,
      startedAt,
      completedAt: after(startedAt, durationMs),
    })
    ids.push(id)
    if (number === 0 && commitSha !== null)
      await storeStrength(
        scene,
        fileStrengths(mutants, tally, { commitSha, contentOf: await contentIds(scene), pathOf: (file) => file }),
      )
  }
  const commitSha = repository.commits[0] ?? null
  const of = { projectId: project.id, userId: scene.userIds[0] ?? '', branch: repository.branch, commitSha }
  const startedAt = before(now, minute)
  const running = await createMeasurementFor(app, {
    ...of,
    id: idAt(startedAt),
    status: 'running',
    createdAt: startedAt,
    startedAt,
    progress: { phase: 'trying_mutants', done: Math.ceil(mutants.length / 5), total: mutants.length },
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

/** Returns a function that returns the id of the content of a file. */
async function contentIds({ repository }: Scene): Promise<(path: string) => string | undefined> {
  const listed = await gitIn(repository.path)('ls-tree', '-r', '--format=%(objectname) %(path)', 'HEAD')
  const ids = new Map(listed.split('\n').map((line) => [line.slice(line.indexOf(' ') + 1), line.split(' ')[0]]))
  return (path) => ids.get(path)
}

function storeStrength({ app, project, now }: Scene, files: Parameters<typeof storeFileStrength>[1]['files']) {
  return app.dataSource.transaction((db) =>
    storeFileStrength({ db, now: () => now }, { projectId: project.id, snapshotId: null, files }),
  )
}
