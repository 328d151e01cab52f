import type { ReadOptions } from './report.ts'
import { cutText, relativePath } from './text.ts'

const ofTheRunner = /^\s*(?:=== (?:RUN|PAUSE|CONT|NAME)\b|--- (?:PASS|FAIL|SKIP|BENCH):)/
const place = /^\s*([^\s:][^:]*\.go):(\d+): ?(.*)$/

export interface GoFailure {
  message: string | null
  stack: string | null
  file: string | null
  line: number | null
  /** Whether the test itself failed, and not only a sub-test. */
  isOwn: boolean
}

/** Splits the output of a test into the error, its place and the stack of a panic. */
export function readGoOutput(output: string, packageName: string, options: ReadOptions): GoFailure {
  const { limits, roots } = options
  const lines = output.split('\n').filter((line) => !ofTheRunner.test(line))
  const panic = lines.findIndex((line) => /^(?:panic: |fatal error: )/.test(line))
  const goroutine = lines.findIndex((line, index) => index > panic && /^goroutine \d+ \[/.test(line))
  const stackStart = panic !== -1 && goroutine !== -1 ? goroutine : lines.length
  const stack = lines.slice(stackStart).join('\n').trim()
  const message = lines.slice(0, stackStart).join('\n').trim()
  const inOutput = lines.map((line) => place.exec(line)).find((match) => match !== null)
  const inStack = panic === -1 ? null : ownFrame(stack, roots)
  return {
    message: message === '' ? null : cutText(message, limits.maxMessage),
    stack: stack === '' ? null : cutText(stack, limits.maxStack),
    file: inStack?.file ?? (inOutput?.[1] === undefined ? null : fileOf(inOutput[1], packageName, options)),
    line: inStack?.line ?? (inOutput?.[2] === undefined ? null : Number(inOutput[2])),
    isOwn: inOutput !== undefined || panic !== -1,
  }
}

/** Returns the first position of a panic's stack in a test of the repository, else in the repository. */
function ownFrame(stack: string, roots: readonly string[]): { file: string; line: number } | null {
  const frames = [...stack.matchAll(/^\t(\/.+?\.go):(\d+)/gm)].flatMap(([, path = '', line]) => {
    const file = relativePath(path, roots)
    return file === null ? [] : [{ file, line: Number(line) }]
  })
  return frames.find(({ file }) => file.endsWith('_test.go')) ?? frames[0] ?? null
}

/** Tests report their file without its folder, compilers with it. */
function fileOf(path: string, packageName: string, { roots, goModules = [] }: ReadOptions): string | null {
  const given = relativePath(path, roots)
  if (given === null || given.includes('/')) return given
  const module = goModules.find((one) => packageName === one.path || packageName.startsWith(`${one.path}/`))
  return module
    ? relativePath(`${module.folder}/${packageName.slice(module.path.length)}/${given}`.replace(/^\/+/, ''), [])
    : given
}
