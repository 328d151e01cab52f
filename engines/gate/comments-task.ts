import { detectLanguage } from '../languages/detect.ts'
import { dialectOf } from '../parsing/dialects.ts'
import { parseLeniently } from '../parsing/javascript/parse-javascript.ts'
import { nestsTooDeep } from '../parsing/nesting.ts'
import type { SourceFile } from '../parsing/source-file.ts'
import type { CommentsWork } from './comments.ts'

const work: CommentsWork = (file) => blankComments(file)

export default work

/** Text in strings, templates and JSX only looks like a comment. So only what the parser takes for one is removed. */
export function blankComments({ path, source }: SourceFile): string {
  const dialect = dialectOf(detectLanguage(path, Buffer.from(source)), path)
  const isJavaScript = dialect === 'js' || dialect === 'jsx' || dialect === 'ts' || dialect === 'tsx'
  if (!isJavaScript || nestsTooDeep(source)) return source
  const { comments, errors } = parseLeniently(source, dialect)
  if (errors.length > 0) return source
  let code = ''
  let at = 0
  for (const { start, end } of comments) {
    code += source.slice(at, start) + source.slice(start, end).replace(/[^\n]+/g, ' ')
    at = end
  }
  return code + source.slice(at)
}
