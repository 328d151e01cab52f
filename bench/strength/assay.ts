import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { switchedProgram } from '../../core/strength/work/find-mutants.ts'
import { applyMutant } from '../../engines/mutation/mutant.ts'
import { testRunner } from '../../engines/processes/testing/runner.ts'
import { driverFiles, driverOf } from '../../engines/strength/driver.ts'
import { readEvent } from '../../engines/strength/events.ts'
import { fillIn, toolsDirectory } from '../../engines/test-plan/placeholders.ts'
import type { Judged, Judgment } from './outcome.ts'
import type { StrengthRepository } from './repositories.ts'

const hourMs = 3_600_000

/** Tries all mutants with Assay's driver in a checkout with installed dependencies, and leaves its sources as they were. */
export async function judgeWithAssay(repository: StrengthRepository, root: string): Promise<Judgment> {
  const { framework, command, mutate } = repository
  const texts = new Map<string, string>()
  for (const path of mutate) texts.set(path, await readFile(join(root, path), 'utf8'))
  const output = `${root}-output`
  await mkdir(output, { recursive: true })
  const from = performance.now()
  const program = await switchedProgram(testRunner, { files: texts, onTop: null, scores: [] })
  for (const [path, source] of program.sources) await writeFile(join(root, path), source)
  const wanted = program.mutants.map(({ id }) => ({ id, probe: program.probes.get(id) }))
  const input = { wanted, stopAt: Date.now() + hourMs, workers: availableParallelism() }
  await writeFile(join(output, driverFiles.wanted), JSON.stringify(input))
  const argv = ['npx', '--no-install', ...command]
  const step = driverOf(framework, { argv, command: argv.join(' '), because: '', environment: {} })
  if (!step) throw new Error(`no driver for ${framework}`)
  const paths = { root, output, deps: root, tools: toolsDirectory }
  const [first = '', ...rest] = step.argv.map((word) => fillIn(word, paths))
  const own = Object.entries(step.environment).map(([name, value]) => [name, fillIn(value, paths)])
  const env = { ...process.env, CI: 'true', ...Object.fromEntries(own) }
  const child = spawn(first, rest, { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] })
  await once(child, 'close')
  const ms = performance.now() - from
  for (const [path, text] of texts) await writeFile(join(root, path), text)

  const lines = (await readFile(join(output, driverFiles.events), 'utf8')).split('\n')
  const outcomes = new Map<number, Judged['outcome']>()
  let isComplete = false
  for (const event of lines.map(readEvent)) {
    if (event?.kind === 'decided') {
      const { id, outcome } = event
      outcomes.set(id, outcome === 'lost' || outcome === 'invalid' ? 'other' : outcome)
    }
    if (event?.kind === 'error') console.log(`${repository.name}: ${event.message}`)
    if (event?.kind === 'end') ({ isComplete } = event)
  }
  if (!isComplete) throw new Error(`${repository.name}: Assay did not try all mutants.`)
  const mutants = program.mutants.map(({ id, mutant }): Judged => {
    const { path, line, original, replacement } = mutant
    const source = applyMutant(texts.get(path) ?? '', mutant)
    return { path, line, original, replacement, source, outcome: outcomes.get(id) ?? 'not_reached' }
  })
  return { ms, mutants }
}
