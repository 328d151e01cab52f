import addFormats from 'ajv-formats'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import { restRoutes } from '../../routes.ts'
import { createOpenApiDocument } from '../document.ts'

const document = createOpenApiDocument(restRoutes())
/** Every operation of it. */
export const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
  (['get', 'post'] as const).flatMap((method) => {
    const operation = item[method]
    return operation ? [{ path, method: method.toUpperCase(), name: operation.operationId ?? '', operation }] : []
  }),
)
export const operationOf = (name: string) => {
  const found = operations.find((operation) => operation.name === name)
  if (!found) throw new Error(`There is no operation ${name}.`)
  return found
}

const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }))
ajv.addSchema({ $id: 'https://assay.example/openapi', ...document })

/** An answer that the document does not foresee, in its status, type or shape, fails the test. */
export async function expectAsDocumented(name: string, response: Response): Promise<void> {
  const { path, method, operation } = operationOf(name)
  const what = `${name} ${response.status}`
  const at = ['paths', path, method.toLowerCase(), 'responses', `${response.status}`]
  const pointer = (keys: string[]) => keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
  const answer = operation.responses?.[`${response.status}`]
  expect(answer, `${what} is documented`).toBeDefined()
  const target = answer && '$ref' in answer ? answer.$ref.slice(1) : pointer(at)
  const known = ajv.getSchema(`https://assay.example/openapi#${target}`)?.schema as { content?: object } | undefined
  const text = await response.text()
  const [type] = Object.keys(known?.content ?? {})
  if (type === 'text/event-stream') expect(response.headers.get('content-type'), what).toMatch(/^text\/event-stream\b/)
  if (!known?.content || !('application/json' in known.content)) return
  expect(response.headers.get('content-type'), what).toBe('application/json; charset=utf-8')
  const schema = `https://assay.example/openapi#${target}${pointer(['content', 'application/json', 'schema'])}`
  const matches = ajv.getSchema(schema)
  expect([matches?.(JSON.parse(text)), matches?.errors, text], what).toEqual([true, null, text])
}
