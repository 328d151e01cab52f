import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { applyMutant } from '../../engines/mutation/mutant.ts'
import { mutantsOf } from '../../engines/mutation/mutants-of.ts'
import { kindOfFile } from '../../engines/verdicts/change/changed-files.ts'
import type { ReplayedCase } from '../selection/make-cases.ts'
import type { Wanted } from './measure.ts'

interface Planted {
  order: string
  path: string
  text: string
  about: string
}

/** Makes commits with one mutant each, spread over the files of code. The same subject gives the same mutants. */
export async function plantMutants(wanted: Wanted, count: number): Promise<ReplayedCase[]> {
  const { repository, subject, kept } = wanted
  const { checkout, top } = subject
  const file = join(kept, `mutants-${top}-${count}.json`)
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as ReplayedCase[]
  const byFile: Planted[][] = []
  for (const path of checkout.paths(top)) {
    if (kindOfFile(path) !== 'code' || !repository.code.test(path)) continue
    const source = checkout.read(top, path) ?? ''
    const mutants = await mutantsOf(path, source, [[1, source.split('\n').length]])
    const ofFile = mutants.map((mutant) => {
      const about = `${path}:${mutant.line} ${mutant.original} -> ${mutant.replacement}`
      const order = hashOf(`${about} ${mutant.start}`)
      return { order, path, text: applyMutant(source, mutant), about }
    })
    byFile.push(inOrder(ofFile))
  }
  const rounds = Math.max(0, ...byFile.map(({ length }) => length))
  const spread = Array.from({ length: rounds }, (_, round) => inOrder(byFile.flatMap((found) => found[round] ?? [])))
  const cases = spread
    .flat()
    .slice(0, count)
    .map(({ path, text, about }): ReplayedCase => {
      const head = checkout.commitWith(top, new Map([[path, { text }]]))
      return { kind: 'mutant', commit: top, base: top, head, about }
    })
  writeFileSync(file, JSON.stringify(cases))
  return cases
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

const inOrder = (found: readonly Planted[]) => found.toSorted((a, b) => (a.order < b.order ? -1 : 1))
