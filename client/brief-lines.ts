import type { TestBrief } from '../engines/analysis/schema.ts'
import { cleanLine, cleanName, shorten } from './sanitize.ts'

/**
 * Returns a brief as lines of text, at most 40 and about 250 tokens: where the test goes, how it is run, what it imports
 * and calls. The texts are those of the repository, made safe to show.
 */
export function briefLines(brief: TestBrief): string[] {
  const { framework, testFile, command, signature, parameters = [], construct, nearestTest } = brief
  const code = (text: string, maximum: number) => shorten(cleanLine(text), maximum)
  const name = (path: string) => shorten(cleanName(path), 160)
  const file = `${name(testFile.path)} (${testFile.exists ? 'exists, add to it' : 'new'}), ${code(framework, 60)}`
  return [
    `test file: ${file}`,
    ...(command === undefined ? [] : [`run: ${code(command, 160)}`]),
    ...(brief.import === undefined ? [] : [`import: ${code(brief.import, 160)}`]),
    ...(construct === undefined ? [] : [`construct: ${code(construct, 100)}`]),
    ...(signature === undefined ? [] : [`signature: ${code(signature, 220)}`]),
    ...(signature === undefined && parameters.length > 0 ? [`parameters: ${code(listed(parameters), 200)}`] : []),
    ...(nearestTest ? [`nearest test: ${nearest(nearestTest, name, code)}`] : []),
  ]
}

const listed = (parameters: NonNullable<TestBrief['parameters']>) =>
  parameters
    .map(({ name, type, isOptional }) => `${name}${isOptional ? '?' : ''}${type === undefined ? '' : `: ${type}`}`)
    .join(', ')

function nearest(
  { path, line, helpers }: NonNullable<TestBrief['nearestTest']>,
  name: (path: string) => string,
  code: (text: string, maximum: number) => string,
): string {
  const place = `${name(path)}${line === undefined ? '' : `:${line}`}`
  return helpers.length === 0 ? place : `${place}, helpers: ${code(helpers.join(', '), 120)}`
}
