import type { z } from 'zod'
import type { Completion } from './clients/client.ts'

/** Longer answers are not parsed. Every valid answer is much shorter. */
const maxCharacters = 1_048_576

export type ReadAnswer<Answer> = { answer: Answer } | { problem: string }

/** Finds the JSON in a model's answer, or describes the problem for the model. */
export function readAnswer<Answer>(completion: Completion, schema: z.ZodType<Answer>): ReadAnswer<Answer> {
  const { text, ending } = completion
  if (text.trim() === '') return { problem: 'The answer was empty.' }
  if (text.length > maxCharacters) return { problem: `The answer had ${text.length} characters, which is too long.` }
  const found = findJson(text)
  if (!found) {
    return ending === 'cut'
      ? {
          problem: 'The answer reached the length limit and is not complete JSON. Write fewer or shorter parts.',
        }
      : { problem: 'The answer was not JSON. Write one JSON object and nothing around it.' }
  }
  const parsed = schema.safeParse(found.value)
  return parsed.success ? { answer: parsed.data } : { problem: describe(parsed.error) }
}

/** Models often put JSON into a Markdown block or after a sentence. */
export function findJson(text: string): { before: string; value: unknown; after: string } | null {
  const start = text.indexOf('{')
  const end = text.lastIndexOf('}') + 1
  if (start === -1 || end <= start) return null
  try {
    return { before: text.slice(0, start), value: JSON.parse(text.slice(start, end)), after: text.slice(end) }
  } catch {
    return null
  }
}

function describe({ issues }: z.ZodError): string {
  const shown = issues.slice(0, 5).map((issue) => `${issue.path.join('.') || 'the object'}: ${issue.message}`)
  const more = issues.length - shown.length
  return `The JSON did not fit the schema. ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`.slice(0, 1_500)
}
