import { z } from 'zod'
import { eventData } from '../core/events/schema.ts'

const begin = '<!-- events: written by `npm run docs` -->\n'
const end = '<!-- /events -->\n'

/** Returns `docs/webhooks.md` with the reference of events, generated from their schemas. */
export function withEventReference(page: string): string {
  const [before, rest] = split(page, begin)
  const [, after] = split(rest, end)
  return `${before}${begin}\n${eventReference()}\n${end}${after}`
}

function split(text: string, marker: string): [string, string] {
  const place = text.indexOf(marker)
  if (place < 0) throw new Error(`docs/webhooks.md has no line ${marker.trim()}`)
  return [text.slice(0, place), text.slice(place + marker.length)]
}

function eventReference(): string {
  return Object.entries(eventData)
    .map(([type, data]) => {
      const fields = Object.entries<z.ZodType>(data.shape).map(([name, field]) => `- ${describeField(name, field)}`)
      return `### \`${type}\`\n\n${data.description} \`data\` has:\n\n${fields.join('\n')}\n`
    })
    .join('\n')
}

function describeField(name: string, field: z.ZodType): string {
  const isOptional = field instanceof z.ZodOptional
  const note = field.description === undefined ? '' : `: ${field.description}`
  return `\`${name}${isOptional ? '?' : ''}\` (${typeOf(field)})${note}`
}

function typeOf(field: z.ZodType): string {
  if (field instanceof z.ZodNullable) return `${typeOf(field.unwrap() as z.ZodType)} or null`
  if (field instanceof z.ZodOptional) return typeOf(field.unwrap() as z.ZodType)
  const { type, format, const: literal, enum: options } = z.toJSONSchema(field)
  if (literal !== undefined) return `\`${String(literal)}\``
  if (options !== undefined) return options.map((option) => `\`${String(option)}\``).join(', ')
  if (type === 'array') return 'list of strings'
  return format === 'date-time' ? 'time' : String(type)
}
