import { detectLanguage } from '../languages/detect.ts'
import { pathTags } from '../languages/tags.ts'
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
  const named = files.map((file) => (isRead(file) ? file : byName(file)))
  const own = named.filter(({ tags }) => !tags.includes('vendored'))
  const found = detectFrameworks({ manifests, paths: own.map(({ path }) => path) })
  return {
    totalFiles: files.length,
    languages: countLanguages(named),
    frameworks: found.frameworks.map(({ name }) => name),
    testFrameworks: found.testFrameworks.map(({ name }) => name),
  }
}

/** Symlinks and submodules have tags and no content to read. */
const isRead = ({ record, tags }: TrackedFile) => record !== undefined || tags.length > 0

function byName(file: TrackedFile): TrackedFile {
  const language = detectLanguage(file.path, null)
  return { ...file, language, tags: pathTags(file.path, language) }
}
