/**
 * Analyzes real repositories and checks the results against counts on `git ls-files` and the text of the files.
 * Arguments: paths of checkouts or bare repositories.
 */
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join, resolve } from 'node:path'
import { analyze } from '../engines/analysis/analyze.ts'
import { openCommit } from '../engines/source/commit.ts'
import { defaultLimits } from '../engines/analysis/types.ts'
import type { AnalysisResult } from '../engines/analysis/schema.ts'
import { printTable } from './report.ts'

/** Extensions of only one language, so that the number of names is the number of files in the language. */
const unambiguous: Record<string, string> = {
  '.py': 'Python',
  '.go': 'Go',
  '.java': 'Java',
  '.rb': 'Ruby',
  '.tsx': 'TSX',
  '.jsx': 'JavaScript',
  '.mjs': 'JavaScript',
  '.vue': 'Vue',
  '.kt': 'Kotlin',
  '.toml': 'TOML',
  '.css': 'CSS',
}

const rows: string[][] = []
for (const path of process.argv.slice(2)) {
  const repository = resolve(path)
  const directory = await mkdtemp(join(tmpdir(), 'assay-bench-'))
  const signal = AbortSignal.timeout(300_000)
  try {
    const startedAt = performance.now()
    await using snapshot = await openCommit({
      url: repository,
      directory,
      ref: {},
      allowLocal: true,
      allowCidrs: [],
      limits: defaultLimits,
      signal,
    })
    const result = await analyze(snapshot, { signal })
    const seconds = (performance.now() - startedAt) / 1_000
    const disagreements = compare(repository, result)
    for (const disagreement of disagreements) console.log(`${result.packageInfo.name}: ${disagreement}`)
    rows.push([
      result.packageInfo.name,
      String(result.summary.totalFiles),
      topLanguages(result),
      names(result.summary.frameworks),
      names(result.summary.testFrameworks),
      String(result.summary.candidateCount),
      seconds.toFixed(2),
      disagreements.length === 0 ? 'agrees' : `${disagreements.length} disagreements`,
    ])
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
printTable(['repository', 'files', 'languages', 'frameworks', 'test frameworks', 'candidates', 's', 'check'], rows)

function compare(repository: string, result: AnalysisResult): string[] {
  const git = (...args: string[]) => execFileSync('git', ['-C', repository, ...args], { maxBuffer: 2 ** 30 }).toString()
  const tracked = git('ls-tree', '-r', '-z', '--name-only', result.commitSha).split('\0').filter(Boolean)
  const { languages, totalFiles } = result.summary
  const disagreements: string[] = []
  const check = (what: string, ours: unknown, theirs: unknown) => {
    if (ours !== theirs) disagreements.push(`${what}: ${String(ours)} here, ${String(theirs)} by git`)
  }
  check('files', totalFiles, tracked.length)
  check('files listed', result.files.length, tracked.length)
  check('distinct paths', new Set(result.files.map((file) => file.path)).size, tracked.length)
  check(
    'sum of languages',
    Object.values(languages).reduce((sum, count) => sum + count, 0),
    tracked.length,
  )
  for (const [language, count] of Object.entries(languages)) {
    check(`files of ${language}`, result.files.filter((file) => file.language === language).length, count)
  }
  const links = new Set(result.files.filter((file) => file.tags?.includes('symlink')).map((file) => file.path))
  for (const [extension, language] of Object.entries(unambiguous)) {
    const named = tracked.filter((path) => extname(path) === extension && !links.has(path))
    const found = new Set(result.files.filter((file) => file.language === language).map((file) => file.path))
    for (const missed of named.filter((path) => !found.has(path))) {
      const file = result.files.find(({ path }) => path === missed)
      disagreements.push(`${missed} is ${file?.language ?? 'missing'}, not ${language}`)
    }
  }
  for (const { path, symbol, startLine, endLine } of result.testCandidates ?? []) {
    const lines = git('show', `${result.commitSha}:${path}`)
      .split('\n')
      .slice(startLine - 1, endLine)
    const name = symbol.split(/[.#]|::/).at(-1) ?? symbol
    // An export without a name is called `default`, as its importers call it.
    if (!lines.join('\n').includes(name === 'default' ? 'export' : name))
      disagreements.push(`${symbol} is not at ${path}:${startLine}-${endLine}`)
  }
  return disagreements
}

function topLanguages({ summary }: AnalysisResult): string {
  const sorted = Object.entries(summary.languages).toSorted(([, a], [, b]) => b - a)
  return sorted
    .slice(0, 4)
    .map(([language, count]) => `${language} ${count}`)
    .join(', ')
}

function names(found: AnalysisResult['summary']['testFrameworks']): string {
  return found
    .slice(0, 6)
    .map((framework) => (typeof framework === 'string' ? framework : `${framework.name} ${framework.confidence}`))
    .join(', ')
}
