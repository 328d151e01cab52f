import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isNoticed, type Judged } from './outcome.ts'
import type { StrengthRepository } from './repositories.ts'

const most = 20
const timeoutMs = 120_000

/** Runs all tests with the mutants on which the tools disagree, each as a source of its own, and says which one is right. */
export async function settle(
  { command }: StrengthRepository,
  root: string,
  pairs: readonly (readonly [Judged, Judged])[],
): Promise<string[]> {
  const told: string[] = []
  for (const [ours, theirs] of pairs.slice(0, most)) {
    const file = join(root, ours.path)
    const original = await readFile(file, 'utf8')
    await writeFile(file, ours.source)
    const fails = await isFailing(root, command)
    await writeFile(file, original)
    const right = isNoticed(ours) === fails ? 'Assay' : 'StrykerJS'
    const change = `${ours.original} -> ${ours.replacement}`.replace(/\s+/g, ' ').slice(0, 120)
    told.push(
      `${ours.path}:${ours.line} ${change}: Assay ${ours.outcome}, StrykerJS ${theirs.outcome}; a fresh process ${fails ? 'fails' : 'passes'}: ${right} is right`,
    )
  }
  if (pairs.length > most) told.push(`and ${pairs.length - most} more`)
  return told
}

function isFailing(root: string, command: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { cwd: root, env: { ...process.env, CI: 'true' }, timeout: timeoutMs, maxBuffer: 2 ** 26 }
    execFile('npx', ['--no-install', ...command], options, (error) => resolve(error !== null))
  })
}
