import { z } from 'zod'

export type JsonSchema = { type: 'object'; [keyword: string]: unknown }

/**
 * Returns the schema to list. Every client pays for it in tokens in every session, so keywords that do not help an agent
 * are left out: the dialect, and the bounds of strings and of outputs. Errors name a bound that a call breaks.
 */
export function listedSchema(schema: z.ZodObject, io: 'input' | 'output', without: readonly string[] = []): JsonSchema {
  const shape = Object.fromEntries(Object.entries(schema.shape).filter(([name]) => !without.includes(name)))
  const { $schema: _, ...listed } = z.toJSONSchema(z.object(shape), {
    io,
    override: ({ jsonSchema }) => {
      for (const keyword of ['minLength', 'maxLength', 'pattern', 'propertyNames', 'maxItems'] as const) {
        delete jsonSchema[keyword]
      }
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      // No agent sends a negative offset, an amount of nothing or an empty list.
      if (jsonSchema.minimum === 0 || jsonSchema.minimum === 1) delete jsonSchema.minimum
      if (jsonSchema.minItems === 1) delete jsonSchema.minItems
      if (io === 'input') return
      delete jsonSchema.minimum
      delete jsonSchema.exclusiveMinimum
      // A reader cannot act on whether a result may have more fields.
      delete jsonSchema.additionalProperties
    },
  })
  return { ...listed, type: 'object' }
}
