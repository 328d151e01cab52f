import { join } from 'node:path/posix'
import { relativePath } from '../reports/text.ts'
import { callsInProject, type Surroundings } from './failure-place.ts'
import type { Hang, TestFile } from './outcome.ts'

/** The traces of a run that did not end. */
export interface HangTraces {
  /** Stacks, innermost call first. */
  stacks: string
  /** One JSON object per line for each test that started or ended; see `running-tests.mjs`. */
  runningTests: string
}

const maxCalls = 20

/** Finds the test that did not end and its position, or returns null if the traces do not show it. */
export function explainHang({ stacks, runningTests }: HangTraces, test: TestFile, around: Surroundings): Hang | null {
  const calls = callsInProject(stacks, around)
  const running = lastRunning(runningTests)
  const file = running && relativePath(running.file, [join(around.root, around.directory), around.root])
  const declared = file ? { file, line: running.line } : null
  // The outermost one is the body of the test; the others are functions that it calls.
  const inTest = calls.findLast(({ place }) => place.file === test.path)?.place
  const name = running?.name ?? (inTest ? enclosingTest(test, inTest.line) : null)
  const place = calls[0]?.place ?? declared
  if (name === null && place === null) return null
  return { test: name, place, stack: calls.slice(0, maxCalls).map(describeCall).join('\n') }
}

function describeCall({ place, line }: ReturnType<typeof callsInProject>[number]): string {
  const [, name] = /^\s*at (?=.*\)$)(.+) \(/.exec(line) ?? /, line \d+,? in (\S+)/.exec(line) ?? []
  return `${name ?? '<anonymous>'} (${place.file}:${place.line})`
}

interface Started {
  name: string
  file: string
  line: number
}

/** Returns the latest test that started and has not ended. */
function lastRunning(lines: string): Started | null {
  const running = new Map<string, Started>()
  for (const line of lines.split('\n')) {
    const entry = readEntry(line)
    if (!entry) continue
    const key = `${entry.file}:${entry.line}:${entry.name}`
    if (entry.event === 'start') running.set(key, entry)
    else running.delete(key)
  }
  // node:test reports a file as a test of its own, named after the file.
  return [...running.values()].findLast(({ name, file }) => !file.endsWith(name)) ?? null
}

function readEntry(line: string): (Started & { event: string }) | null {
  try {
    const entry: unknown = JSON.parse(line)
    if (typeof entry !== 'object' || entry === null) return null
    if (!('event' in entry && 'name' in entry && 'file' in entry && 'line' in entry)) return null
    const { event, name, file, line: at } = entry
    const isEntry = typeof event === 'string' && typeof name === 'string' && typeof file === 'string'
    return isEntry && Number.isSafeInteger(at) ? { event, name, file, line: Number(at) } : null
  } catch {
    // The process was stopped while it wrote the line.
    return null
  }
}

const declarations = [
  /\b(?:test|it)(?:\.\w+)*\s*\(\s*(['"`])(?<name>(?:\\.|(?!\1)[^\\\n]){1,500})\1/,
  /^\s*(?:async )?def (?<name>test\w*)/,
  /^func (?<name>Test\w+)\(/,
]

/** Returns the name of the last test that is declared at or above the line. */
function enclosingTest({ code }: TestFile, line: number): string | null {
  const above = code.split('\n').slice(0, line).toReversed()
  for (const text of above) {
    for (const declaration of declarations) {
      const name = declaration.exec(text)?.groups?.name
      if (name !== undefined) return name
    }
  }
  return null
}
