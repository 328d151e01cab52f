import { readYaml } from '../manifests/yaml.ts'
import { splitStack } from './frames.ts'
import { durationOrNull, lineOrNull, textOrNull } from './json/field.ts'
import type { ReadOptions } from './report.ts'
import { cutText, plainText, relativePath } from './text.ts'

export interface Diagnosis {
  message: string | null
  stack: string | null
  file: string | null
  line: number | null
}

/** Reads the YAML block of a failed test. A block that is not YAML is the message. */
export function readDiagnosis(yaml: string, { limits, roots }: ReadOptions): Diagnosis {
  const fields = parseOrNull(yaml)
  if (fields === null) return { ...splitCut(yaml, limits), file: null, line: null }
  const error = fields['error']
  const message =
    textOf(fields['message']) ?? (isRecord(error) ? textOf(error['message']) : textOf(error)) ?? textOf(fields['diff'])
  const stack = textOf(fields['stack']) ?? (isRecord(error) ? textOf(error['stack']) : null)
  const { file, line } = placeOf(fields['at'] ?? fields['location'])
  return {
    message:
      message === null
        ? textOrNull(cutText(plainText(yaml).trim(), limits.maxMessage))
        : cutText(plainText(message), limits.maxMessage),
    stack: stack === null ? null : cutText(plainText(stack), limits.maxStack),
    file: file === null ? null : relativePath(file, roots),
    line,
  }
}

/** Avoids parsing, because most blocks belong to passed tests and contain nothing else. */
export function readDuration(yaml: string): number | null {
  const match = /^duration_ms: ['"]?([\d.]+)/m.exec(yaml)
  return match ? durationOrNull(Number(match[1])) : null
}

function splitCut(text: string, limits: ReadOptions['limits']) {
  const { message, stack } = splitStack(plainText(text))
  return {
    message: textOrNull(cutText(message, limits.maxMessage)),
    stack: stack === null ? null : cutText(stack, limits.maxStack),
  }
}

function parseOrNull(yaml: string): Record<string, unknown> | null {
  try {
    const value = readYaml(yaml)
    return isRecord(value) ? value : null
  } catch {
    // Any error means that the block is output of a test and not YAML, for example if it is nested too deep.
    return null
  }
}

function placeOf(at: unknown): { file: string | null; line: number | null } {
  if (isRecord(at)) {
    const line = textOf(at['line'] ?? at['lineNumber'])
    return { file: textOf(at['file'] ?? at['fileName']), line: lineOrNull(line === null ? undefined : Number(line)) }
  }
  const match = /^(.+?):(\d+)(?::\d+)?$/.exec(textOf(at) ?? '')
  return { file: match?.[1] ?? null, line: match ? lineOrNull(Number(match[2])) : null }
}

const textOf = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value : null)
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
