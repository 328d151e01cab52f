import { extname } from 'node:path/posix'
import type { AnalysisResult, AnalyzedFile } from './schema.ts'
import type { AnalysisWarning } from '../source/schema.ts'
import type { TrackedFile } from './read-files.ts'
import { warningWriter } from '../source/warnings.ts'

/** Every tracked path once, in git's order. */
export function listFiles(files: readonly TrackedFile[]): AnalyzedFile[] {
  return files.map(({ path, size, language, tags }) => ({
    path,
    size,
    extension: extname(path),
    language,
    ...(tags.length > 0 && { tags }),
  }))
}

/** Files by language, the most frequent first. */
export function countLanguages(files: readonly Pick<TrackedFile, 'language'>[]): Record<string, number> {
  const counts = new Map<string, number>()
  for (const { language } of files) counts.set(language, (counts.get(language) ?? 0) + 1)
  return Object.fromEntries([...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)))
}

/** Every directory with the number of files in it, those of its subdirectories included. */
export function listDirectories(files: readonly TrackedFile[]): AnalysisResult['directories'] {
  const direct = new Map<string, number>()
  for (const { path } of files) {
    const directory = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    direct.set(directory, (direct.get(directory) ?? 0) + 1)
  }
  const counts = new Map<string, number>()
  for (const [directory, count] of direct) {
    for (let path = directory; path !== ''; path = path.slice(0, Math.max(0, path.lastIndexOf('/')))) {
      counts.set(path, (counts.get(path) ?? 0) + count)
    }
  }
  return [...counts].map(([path, fileCount]) => ({ path, fileCount })).toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

/** What could not be parsed, and why. Files that endanger the parser are all named. */
export function parsingWarnings(files: readonly TrackedFile[]): AnalysisWarning[] {
  const warnings: AnalysisWarning[] = []
  const warn = warningWriter(warnings)
  for (const { path, record } of files) {
    if (record?.unparsed === 'crash') {
      warnings.push({ code: 'quarantined', message: 'it crashed the parser and was skipped', path })
    } else if (record?.unparsed === 'timeout') {
      warnings.push({ code: 'quarantined', message: 'parsing it took too long and was stopped', path })
    } else if (record?.unparsed === 'error') {
      warn('unparsed', 'it could not be parsed, for example because it is nested too deeply', path)
    } else if (record?.facts?.syntaxErrors && record.facts.symbols.length + record.facts.imports.length === 0) {
      warn('unparsed', 'it has syntax errors, and no symbols or imports could be read', path)
    }
  }
  return warnings
}
