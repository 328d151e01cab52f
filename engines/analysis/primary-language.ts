import type { AnalyzedFile } from './schema.ts'
import type { FileTag } from '../languages/schema.ts'
import { findLanguage } from '../languages/catalogue.ts'

const notOwnCode: readonly FileTag[] = ['vendored', 'generated', 'documentation']

/** The programming language with the most bytes in the project's own code; dialects count with their language. */
export function primaryLanguage(files: readonly AnalyzedFile[]): string | undefined {
  const bytes = new Map<string, number>()
  for (const { language: name, size, tags } of files) {
    if (tags?.some((tag) => notOwnCode.includes(tag))) continue
    const language = findLanguage(name)
    if (language?.type !== 'programming') continue
    const group = language.group ?? name
    bytes.set(group, (bytes.get(group) ?? 0) + size)
  }
  let primary: string | undefined
  for (const [language, size] of bytes) if (size > (bytes.get(primary ?? '') ?? -1)) primary = language
  return primary
}
