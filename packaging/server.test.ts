import { expect, test } from 'vitest'
import { z } from 'zod'
import packageInfo from '../package.json' with { type: 'json' }
import server from '../server.json' with { type: 'json' }
import { desktopManifest, npmManifest } from './manifests.ts'

const Input = z.strictObject({
  name: z.string(),
  description: z.string(),
  format: z.enum(['string', 'number', 'boolean', 'filepath']),
  default: z.string().optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
})

/** What the registry's schema of 2025-12-11 allows of what we use of it. */
const Server = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().max(100),
  description: z.string().min(1).max(100),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  packages: z
    .array(
      z.strictObject({
        registryType: z.literal('npm'),
        registryBaseUrl: z.literal('https://registry.npmjs.org'),
        identifier: z.string(),
        version: z.string().regex(/^\d+\.\d+\.\d+$/),
        runtimeHint: z.literal('npx'),
        packageArguments: z.array(z.strictObject({ type: z.literal('positional'), value: z.string() })),
        transport: z.strictObject({ type: z.literal('stdio') }),
        environmentVariables: z.array(Input),
      }),
    )
    .length(1),
})

test('the entry for the registry of MCP servers has the shape that it asks for', () => {
  expect(Server.parse(server)).toEqual(server)
})

test('entry, package and bundle have one name and one version', () => {
  const { name, version, mcpName } = packageInfo
  expect(server).toMatchObject({ name: mcpName, version, packages: [{ identifier: name, version }] })
  expect(npmManifest()).toMatchObject({ name, version, mcpName })
  expect(desktopManifest()).toMatchObject({ name, version })
})

test('the token is a secret wherever it is asked for', () => {
  const settings = server.packages[0]?.environmentVariables ?? []
  expect(settings.map(({ name, isSecret = false }) => [name, isSecret])).toEqual([
    ['SVC_BASE_URL', false],
    ['SVC_API_TOKEN', true],
  ])
  expect(desktopManifest().user_config.token.sensitive).toBe(true)
})

test('what is published starts without what only a checkout needs', () => {
  expect(npmManifest()).not.toHaveProperty('private')
  expect(npmManifest()).not.toHaveProperty('scripts')
  expect(packageInfo.private).toBe(true)
})
