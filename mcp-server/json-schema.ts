import { z } from 'zod'

export type JsonSchema = { type: 'object'; [keyword: string]: unknown }

/**
 * A schema as it is listed. Every client pays for it in tokens on every session, so what tells an agent nothing is
 * left out: the dialect, the bounds of safe integers, the patterns behind formats.
 */
export function listedSchema(schema: z.ZodObject, io: 'input' | 'output', without: readonly string[] = []): JsonSchema {
  const omitted = Object.fromEntries(without.map((name) => [name, true as const]))
  const { $schema: _, ...listed } = z.toJSONSchema(schema.omit(omitted), {
    io,
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern
      // Whether a result may carry more is nothing that its reader acts on.
      if (io === 'output') delete jsonSchema.additionalProperties
      delete jsonSchema.propertyNames
    },
  })
  return { ...listed, type: 'object' }
}
