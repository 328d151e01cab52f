import { ReportError } from '../reports/report.ts'
import { openReportFile } from '../reports/report-file.ts'
import { createCoverage } from './collect.ts'
import type { CoverageAnswer, CoverageInput, CoverageQuestion, CoverageWork, CoveredFile } from './collect-apart.ts'
import type { CoverageCollector, FileCoverage, LineBranches } from './coverage.ts'
import { formatBranches, formatReached } from './branch-text.ts'
import { findModules, isOfModule } from './find-modules.ts'
import { findRoot } from './find-root.ts'
import { formatRanges } from './ranges.ts'

const maxWarnings = 100
/** Of the text of one message. */
const batchBytes = 2 ** 20
/** Of all messages: far more than the coverage of the largest repositories. */
const maxBytes = 128 * 2 ** 20

/** The task of `collectCoverageApart`. */
const work: CoverageWork = async (input, { ask, step, shared: paths }) => {
  try {
    let { coverage, warnings } = await readAll(input, paths, input.roots, step)
    const names = coverage.unmatched()
    const ofModules = [...coverage.files()].map(({ path }) => path).filter(isOfModule)
    if (input.guessesRoot === true && names.length + ofModules.length > 0) {
      const known = (await ask('paths')) ?? []
      const root = findRoot(names, known)
      const goModules = findModules(ofModules, known)
      const better = { ...input, goModules: [...(input.goModules ?? []), ...goModules] }
      if (root !== null || goModules.length > 0)
        ({ coverage, warnings } = await readAll(
          better,
          paths,
          [...input.roots, ...(root === null ? [] : [root])],
          step,
        ))
    }
    await send(coverage, input, ask)
    return { warnings: [...warnings], percent: coverage.percent() }
  } catch (error) {
    if (!(error instanceof ReportError)) throw error
    return { problem: { code: error.code, file: error.file, line: error.line, problem: error.problem } }
  }
}

export default work

async function readAll(
  { files, isStrict, goModules, rootHint, maxBytes: maxFileBytes, maxFiles }: CoverageInput,
  paths: readonly string[] | null,
  roots: readonly string[],
  step: (label: string) => void,
): Promise<{ coverage: CoverageCollector; warnings: Set<string> }> {
  const warnings = new Set<string>()
  const warn = (text: string) => void (warnings.size < maxWarnings && warnings.add(text))
  const coverage = createCoverage({
    roots,
    paths,
    ...(goModules && { goModules }),
    ...(rootHint !== undefined && { rootHint }),
    maxBytes: maxFileBytes,
    maxFiles,
    warn,
  })
  let unpacked = 0
  for (const { maxUnpackedBytes, ...file } of files) {
    step(file.name)
    try {
      const left = maxUnpackedBytes === undefined ? {} : { maxUnpackedBytes: maxUnpackedBytes - unpacked }
      await using source = await openReportFile({ ...file, ...left })
      await coverage.add(source)
      unpacked += source.unpackedBytes()
    } catch (error) {
      if (isStrict || !(error instanceof ReportError)) throw error
      warn(`The coverage is incomplete: ${error.message}`)
    }
  }
  return { coverage, warnings }
}

async function send(
  coverage: CoverageCollector,
  { withBranches }: CoverageInput,
  ask: (question: CoverageQuestion) => Promise<CoverageAnswer>,
): Promise<void> {
  let batch: CoveredFile[] = []
  let bytes = 0
  let sum = 0
  for (const file of coverage.files()) {
    const covered = coveredFile(file, withBranches === true ? coverage.reachedBranches(file.path) : [])
    batch.push(covered)
    const { path, covered: lines, uncovered, uncalled, reachedBranches, partialBranches } = covered
    bytes += path.length + lines.length + uncovered.length + uncalled.length + reachedBranches.length
    bytes += (partialBranches?.length ?? 0) + (covered.completeBranches?.length ?? 0)
    if (bytes < batchBytes) continue
    sum += bytes
    if (sum > maxBytes) throw new ReportError('too_large', file.path, 'with this file, coverage has too many lines')
    await ask({ batch: JSON.stringify(batch) })
    batch = []
    bytes = 0
  }
  await ask({ batch: JSON.stringify(batch) })
}

const completeCounts = (lines: readonly LineBranches[]) => lines.map(({ line, total }) => [line, total] as const)

const coveredFile = (file: FileCoverage, reached: ReturnType<CoverageCollector['reachedBranches']>): CoveredFile => ({
  path: file.path,
  covered: formatRanges(file.coveredLines),
  uncovered: formatRanges(file.uncoveredLines),
  uncalled: formatRanges(file.uncalledLines),
  lines: file.lines,
  branches: file.branches,
  functions: file.functions,
  partialBranches: file.partialBranches && formatBranches(file.partialBranches),
  completeBranches: file.completeBranches && formatReached(completeCounts(file.completeBranches)),
  reachedBranches: formatReached(reached),
})
