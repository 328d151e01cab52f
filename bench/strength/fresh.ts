import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { isNoticed, isTried, type Judged } from './outcome.ts'
import type { StrengthRepository } from './repositories.ts'

const most = 300
const leastLimitMs = 20_000
/** A mutant may make the tests take so many times as long. */
const patience = 4

/** Decisions that were repeated, and those that a fresh process contradicts. */
export interface Repeated {
  count: number
  different: readonly Judged[]
}

/**
 * Runs all tests with mutants that were tried, each as a source of its own in a fresh process. If there are more than 300,
 * it takes some by lot.
 */
export async function repeatFresh(
  repository: StrengthRepository,
  root: string,
  mutants: readonly Judged[],
): Promise<Repeated> {
  const queue = mutants
    .filter(isTried)
    .map((mutant) => ({ mutant, lot: hash('sha256', JSON.stringify([mutant.path, mutant.source])) }))
    .toSorted((a, b) => (a.lot < b.lot ? -1 : 1))
    .slice(0, most)
    .map(({ mutant }) => mutant)
  const count = queue.length
  const different: Judged[] = []
  const from = performance.now()
  if (await isFailing(repository, root, 600_000)) throw new Error(`${repository.name}: the tests fail without a mutant`)
  const limitMs = Math.max(leastLimitMs, patience * (performance.now() - from))
  const worker = async (_: unknown, index: number) => {
    const own = `${root}-fresh-${index}`
    await cp(root, own, { recursive: true, verbatimSymlinks: true })
    for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
      if ((await failsWith(repository, own, mutant, limitMs)) !== isNoticed(mutant)) different.push(mutant)
    }
    await rm(own, { recursive: true, force: true })
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker))
  return { count, different }
}

/** Whether the tests fail with a mutant, or do not end. */
export async function failsWith(
  repository: StrengthRepository,
  root: string,
  { path, source }: Judged,
  limitMs: number,
): Promise<boolean> {
  const file = join(root, path)
  const original = await readFile(file, 'utf8')
  await writeFile(file, source)
  const fails = await isFailing(repository, root, limitMs)
  await writeFile(file, original)
  return fails
}

function isFailing({ command, framework }: StrengthRepository, root: string, limitMs: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, CI: 'true' }
    const words = ['--no-install', ...command, framework === 'vitest' ? '--bail=1' : '--bail']
    const child = spawn('npx', words, { cwd: root, env, stdio: 'ignore', detached: true })
    const end = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // All of its group have ended.
      }
    }
    const limit = setTimeout(end, limitMs)
    child.once('error', reject)
    child.once('exit', (code) => {
      clearTimeout(limit)
      end()
      resolve(code !== 0)
    })
  })
}
