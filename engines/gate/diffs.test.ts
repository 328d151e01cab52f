import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { addText, collect } from '../coverage/testing.ts'
import { countRanges, formatRanges, parseRanges, type Ranges } from '../coverage/ranges.ts'
import { openCommit } from '../source/commit.ts'
import { createGitRepository, type GitRepository } from '../source/testing/git-repository.ts'
import { defaultSourceLimits } from '../source/types.ts'
import { patchCoverage } from './patch-coverage.ts'
import { patchFiles } from './patch.ts'
import { diffs } from './testing/diffs.ts'

const run = promisify(execFile)
const hasDiffCover = spawnSync('diff-cover', ['--version']).status === 0
const emptyBlob = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'

/** The coverage of the head, as Cobertura: lines that end with `+` ran, those that end with `-` did not. */
async function cobertura(repository: GitRepository): Promise<string> {
  const listed = await repository.git('ls-files', '-z', '--stage')
  const classes: string[] = []
  for (const entry of listed.split('\0').filter(Boolean)) {
    const [, mode = '', path = ''] = /^(\d+) .*?\t(.*)$/s.exec(entry) ?? []
    if (!mode.startsWith('100')) continue
    const lines = (await readFile(join(repository.path, path), 'utf8')).split(/\r?\n/)
    const hits = lines.flatMap((line, index) =>
      /[+-]$/.test(line) ? `<line number="${index + 1}" hits="${line.endsWith('+') ? 1 : 0}"/>` : [],
    )
    if (hits.length > 0)
      classes.push(`<class name="${path}" filename="${path}"><lines>${hits.join('')}</lines></class>`)
  }
  return `<?xml version="1.0"?><coverage version="7"><sources><source>${repository.path}</source></sources><packages><package name="all"><classes>${classes.join('')}</classes></package></packages></coverage>`
}

/** By path: covered and uncovered lines of the patch. */
async function judged(repository: GitRepository, report: string): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-diffs-'))
  try {
    await using head = await openCommit({
      url: repository.path,
      allowLocal: true,
      allowCidrs: [],
      directory: folder,
      ref: { branch: 'feature' },
      limits: defaultSourceLimits,
      signal: AbortSignal.timeout(100_000),
    })
    const { changes } = await head.changesOnTopOf('main', AbortSignal.timeout(100_000))
    const empty = new Set(head.entries.flatMap(({ path, blobId }) => (blobId === emptyBlob ? path : [])))
    const files = patchFiles(
      changes,
      head.entries.map(({ path }) => path),
      (path) => empty.has(path),
    )
    const collected = collect({ roots: [repository.path] })
    await addText(collected, report)
    const reported = new Map(
      [...collected.files()].map((file) => [
        file.path,
        { covered: file.coveredLines, uncovered: file.uncoveredLines, branches: null },
      ]),
    )
    const patch = patchCoverage(files, { files: reported, unknown: new Map() })
    const measured = patch.files.filter(({ state }) => state === 'measured')
    const sum = (ranges: Ranges[]) => ranges.reduce((total, one) => total + countRanges(one), 0)
    expect(patch.lines).toEqual({
      covered: sum(measured.map(({ covered }) => covered)),
      total: sum(measured.flatMap(({ covered, uncovered }) => [covered, uncovered])),
    })
    return Object.fromEntries(
      measured.map(({ path, covered, uncovered }) => [path, `${formatRanges(covered)}|${formatRanges(uncovered)}`]),
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface DiffCoverReport {
  total_num_lines: number
  total_num_violations: number
  src_stats: Record<string, { violation_lines: number[] }>
}

async function judgedByDiffCover(repository: GitRepository, report: string): Promise<DiffCoverReport> {
  await writeFile(join(repository.path, '..', 'coverage.xml'), report)
  // Without it, git quotes names beyond ASCII, which diff-cover does not read.
  await repository.git('config', 'core.quotePath', 'false')
  const answer = join(repository.path, '..', 'report.json')
  await run('diff-cover', ['../coverage.xml', '--compare-branch', 'main', '--json-report', answer], {
    cwd: repository.path,
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
    maxBuffer: 2 ** 26,
  })
  return JSON.parse(await readFile(answer, 'utf8')) as DiffCoverReport
}

test.each(diffs)('$name', async ({ base, change, expected, whyNotAsDiffCover }) => {
  await using repository = await createGitRepository(base)
  await repository.git('checkout', '-q', '-b', 'feature')
  await change(repository)
  const report = await cobertura(repository)
  expect(await judged(repository, report)).toEqual(expected)
  if (!hasDiffCover || whyNotAsDiffCover !== undefined) return
  const {
    total_num_lines: lines,
    total_num_violations: missed,
    src_stats: files,
  } = await judgedByDiffCover(repository, report)
  const sides = Object.values(expected).map((text) => text.split('|').map((side) => countRanges(parseRanges(side))))
  expect({ lines, missed }).toEqual({
    lines: sides.reduce((sum, [covered = 0, uncovered = 0]) => sum + covered + uncovered, 0),
    missed: sides.reduce((sum, [, uncovered = 0]) => sum + uncovered, 0),
  })
  for (const [path, text] of Object.entries(expected)) {
    const uncovered = parseRanges(text.split('|')[1] ?? '').flatMap(([first, last]) =>
      Array.from({ length: last - first + 1 }, (_, index) => first + index),
    )
    expect(files[path]?.violation_lines ?? [], path).toEqual(uncovered)
  }
})
