/** The packages of both providers put the status of a failed response into the error. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof Error && 'status' in error && typeof error.status === 'number' ? error.status : undefined
}

/** Returns whether a simpler request may succeed. */
export const isRefusedRequest = (error: unknown) => [400, 422, 501].includes(statusOf(error) ?? 0)

/** For servers that do not support schemas: the prompt contains the schema. */
export const withSchema = (system: string, schema: Record<string, unknown>) =>
  `${system}\n\nAnswer with one JSON object and nothing else. It fits this JSON schema:\n${JSON.stringify(schema)}`
