/** Comments that tools act on. */
const directive = /^(?:\/\/(?:go:|#)|\/\/ \+build|#!|# *(?:type:|pragma)|\/\/\/ *<)/
const hash = /\.(?:py|pyi|rb|sh|bash|pl|pm|r|ex|exs|jl|nim|cr|tcl)$/i
const commentOfHash = /^#/
const commentOfSlash = /^(?:\/\/|\/\*|\*\/|\*(?: |$))/

/** Whether a line of code is empty or certainly a comment. Lines inside of comments without a mark count as code. */
export function isBlankOrComment(line: string, path: string): boolean {
  const text = line.trim()
  if (text === '') return true
  if (directive.test(text)) return false
  // Code may follow the end of a comment.
  if (text.includes('*/') && !text.endsWith('*/')) return false
  return (hash.test(path) ? commentOfHash : commentOfSlash).test(text)
}

const script = /\.[cm]?tsx?$/
const declaration =
  /^\s*(?:export\s+)?(?:default\s+)?(?:abstract\s+|async\s+)?(?:function|class|const|let|var|enum)\b|^\s*export\s+default\b|^(?:await|if|for|while|throw)\b|^[\w$.]+\(/

/** Whether a file can contain code that runs. Files of TypeScript may contain nothing but types. */
export function canRun(path: string, source: string | undefined): boolean {
  if (/\.d\.[cm]?ts$|\.pyi$/.test(path)) return false
  if (source === undefined) return true
  const lines = source.split('\n')
  if (script.test(path)) return lines.some((line) => line.length > 1_000 || declaration.test(line))
  return lines.some((line) => !isBlankOrComment(line, path))
}
