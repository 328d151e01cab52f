import { detectLanguage } from '../languages/detect.ts'
import { isVendored } from '../languages/path-rules.ts'
import type { Manifest } from '../manifests/manifest.ts'
import { detectFrameworks } from './frameworks/detect.ts'
import type { TrackedFile } from './read-files.ts'
import { countLanguages } from './result.ts'
import type { FirstAnswer } from './schema.ts'

/**
 * Tells what is known when only the manifests have been read.
 *
 * @param files - most of them not yet read
 */
export function firstAnswer(files: readonly TrackedFile[], manifests: readonly Manifest[]): FirstAnswer {
  const own = files.filter((file) => (isRead(file) ? !file.tags.includes('vendored') : !isVendored(file.path)))
  const found = detectFrameworks({ manifests, paths: own.map(({ path }) => path) })
  return {
    totalFiles: files.length,
    languages: countLanguages(
      files.map((file) => (isRead(file) ? file : { language: detectLanguage(file.path, null) })),
    ),
    frameworks: found.frameworks.map(({ name }) => name),
    testFrameworks: found.testFrameworks.map(({ name }) => name),
  }
}

/** Symlinks and submodules have tags and no content to read. */
const isRead = ({ record, tags }: TrackedFile) => record !== undefined || tags.length > 0
