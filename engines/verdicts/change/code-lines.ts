import { isBlankOrComment } from './comments.ts'

const importing =
  /^(?:import\b(?!\s*[(.'"])|from\s+\S+\s+import\b|export\s.*\sfrom\s|\}\s*from\s|(?:const|let|var)\s.*=\s*require\(|#\s*include\b|use\s|using\s|require(?:_relative)?\s|mod\s|package\s)/
const importsForEffect = /^import\s*['"]/
const ofStyles = /\.(?:css|scss|sass|less)['"];?$/
const importsStyles = (line: string) => importsForEffect.test(line) && ofStyles.test(line)
const beginsList = /^(?:import\b|from\s+\S+\s+import\b)[^)}=]*[({]$|^export\s+(?:type\s+)?\{$|^(?:const|let|var)\s*\{$/
const member = /^(?:type\s+)?[\w$*.]+(?:\s+as\s+[\w$]+)?,?$|^(?:[\w.]+\s+)?"[^"]+"$/
const closing = /^[\s)\]};,]*$/
const maxListLength = 50
/** A longer line is not code that somebody wrote. */
const maxLineLength = 500

/** Whether a line is certainly an import of names, or a member of a list of imports that earlier lines begin. */
export function isImport(lines: readonly string[], at: number): boolean {
  const trimmed = (index: number) => (lines[index] ?? '').slice(0, maxLineLength).trim()
  if (importing.test(trimmed(at)) || importsStyles(trimmed(at))) return true
  if (!member.test(trimmed(at))) return false
  for (let before = at - 1; before >= 0 && at - before <= maxListLength; before--) {
    const line = trimmed(before)
    if (beginsList.test(line)) return true
    if (!member.test(line) && !closing.test(line)) return false
  }
  return false
}

/** Whether a line is blank, a comment or nothing but closing brackets. */
export const isEmptyOfCode = (line: string, path: string): boolean => closing.test(line) || isBlankOrComment(line, path)

const words =
  'export|default|declare|async|public|private|protected|internal|static|abstract|final|override|pub(?:\\(\\w+\\))?'
const declaring = new RegExp(
  `^(?:(?:${words})\\s+)*(?:(?:function|class|interface|type|enum|namespace|def|func|fn|struct|trait|impl)\\b|const\\s+enum\\b)`,
)
const namedFunction =
  /^(?:export )?(?:const|let|var) [\w$]+(?: |:[^=]*)= ?(?:async )?(?:function\b|\([^()]*\)[^=]*=>|[\w$]+ =>)/
const constant = /^(?:export )?(?:const|let|var) [\w$]+(?:$|:[^=]*$|(?: |:[^=]*)=[^()`]*$)/
/** Not a call with a function or an object as its last argument. */
const method =
  /^(?:(?:static|async|get|set|public|private|protected|override|readonly)\s+)*(?!(?:if|for|while|switch|catch|with)\b)[#\w$]+\s*\((?!.*\bfunction\b)[^;]*\)\s*(?::[^;=]*)?\{$/
/** Functions that languages and libraries call, although no code names them. */
const calledImplicitly =
  /^(?:(?:public|override|async|static)\s+)*(?:toJSON|toString|valueOf|toLocaleString|then)\s*\(|^(?:async )?def __\w+__\(|^func (?:\([^)]*\) )?(?:init|String|GoString|Error|Format|Is|As|Unwrap|Marshal\w*|Unmarshal\w*|Scan|Value|Len|Less|Swap|ServeHTTP|Read|Write|Close|TestMain)\(/
const memberFunction = /^(?:async )?def\b/
const decorator = /^@[\w.]+/
/** These say something to readers and tools only. */
const remark = /^@(?:typing\.)?(?:[oO]verride|[dD]eprecated|final|overload|Nullable|NonNull|SuppressWarnings)\b/
const typedName =
  /^(?:readonly )?[\w$]+\??: (?:(?:string|number|boolean|bigint|unknown|any|null|undefined|void|never|object)\b|[A-Z])[\w<>[\]|& .]*[;,]?$/
const typeDeclaration = /^(?:export |declare )*(?:interface|type)\s/

/** Whether a line of TypeScript only declares types, which do not run. */
export const declaresType = (line: string, path: string): boolean => {
  const text = line.trim().slice(0, maxLineLength)
  return /\.[cm]?tsx?$/.test(path) && (typedName.test(text) || typeDeclaration.test(text))
}
const logging =
  /^(?:await )?(?:console\.|(?:this\.|self\.)?_?log(?:ger|ging)?(?:\.(?:log|trace|debug|verbose|info|notice|warn|warning|error|exception|critical|fatal|[pP]rint(?:f|ln)?))?\(|print(?:ln|f)?\(|fmt\.Print)|^debugger\b/

/**
 * Whether the code could only be missed by code that uses its names: functions, types and constants, besides messages
 * for people. A test cannot notice their removal unless it uses them, too.
 *
 * @param inherits - a method may replace one of another class
 */
export function onlyDeclares(lines: readonly string[], path: string, inherits: boolean): boolean {
  const code = lines.filter((line) => !isEmptyOfCode(line, path))
  const depth = Math.min(...code.map(depthOf))
  const outer = code.filter((line) => depthOf(line) === depth)
  // A decorator without what it decorates wraps code that stays.
  const last = outer.at(-1)?.trim() ?? ''
  if (decorator.test(last) && !remark.test(last)) return false
  return outer.every((line) => {
    const text = line.trim().slice(0, maxLineLength)
    if (calledImplicitly.test(text)) return false
    if (inherits && depth > 0 && (method.test(text) || memberFunction.test(text))) return false
    return (
      [declaring, namedFunction, constant, method, decorator, logging].some((rule) => rule.test(text)) ||
      (/\.[cm]?tsx?$/.test(path) && typedName.test(text))
    )
  })
}

const functionHeader = new RegExp(`^(?:(?:${words})\\s+)*(?:function|def|func|fn)\\b`)

/** Whether a function begins on the line. */
export function beginsFunction(line: string): boolean {
  const text = line.trim().slice(0, maxLineLength)
  return [functionHeader, namedFunction, method].some((rule) => rule.test(text))
}

const extending = /^(?:export )?(?:default )?(?:abstract )?class \w+ extends\b/
const pythonSubclass = /^class \w+\(\w/

/** Whether a class of the source may have methods of another one. */
export const hasInheritance = (lines: readonly string[]): boolean =>
  lines.some((line) => extending.test(line.trimStart()) || pythonSubclass.test(line.trimStart()))

const leaving = /^(?:return|throw|raise|panic|break|continue)\b/
const leavingWithin = /\b(?:return|throw|raise|panic|break|continue|assert)\b/

/** Whether the line may end the function or loop. */
export const leaves = (line: string): boolean => leavingWithin.test(line.slice(0, maxLineLength))

/** Whether the lines come right after a statement that always leaves their block. */
export function cannotRunAfter(before: readonly string[], lines: readonly string[], path: string): boolean {
  const first = lines.find((line) => !isEmptyOfCode(line, path))
  if (first === undefined) return false
  // Deeper lines belong to the statement or to a block that may be skipped.
  const previous = before.findLast((line) => !isEmptyOfCode(line, path) && depthOf(line) <= depthOf(first))
  return previous !== undefined && depthOf(previous) === depthOf(first) && leaving.test(previous.trimStart())
}

const depthOf = (line: string) => line.length - line.trimStart().length
