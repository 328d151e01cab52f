import type { FileTag } from './schema.ts'
import { isGeneratedContent, isGeneratedPath } from './generated.ts'
import { KnownPaths } from './known-paths.ts'
import { isDocumentation, isVendored } from './path-rules.ts'
import { testRole } from '../test-names/roles.ts'

/**
 * Why a file is not hand-written source of the project, none to several reasons. What git says of it (symlink,
 * submodule) is for the caller to add. `content` is null where it is not at hand; where only its verdict is known from
 * an earlier analysis, see `pathTags`.
 */
export function fileTags(path: string, content: Buffer | null, language: string): FileTag[] {
  return pathTags(path, language, content !== null && isGeneratedContent(path, content, language))
}

const known = new KnownPaths<readonly FileTag[]>()

/** As `fileTags`, with the answer of `isGeneratedContent` instead of the content. */
export function pathTags(path: string, language: string, generatedContent = false): FileTag[] {
  const key = `${generatedContent ? '+' : '-'}${language}/${path}`
  return [...known.find(key, () => findTags(path, language, generatedContent))]
}

function findTags(path: string, language: string, generatedContent: boolean): FileTag[] {
  const tags: FileTag[] = []
  if (isVendored(path)) tags.push('vendored')
  if (generatedContent || isGeneratedPath(path)) tags.push('generated')
  if (isDocumentation(path)) tags.push('documentation')
  if (testRole(path, language)) tags.push('test')
  return tags
}
