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

/** The parts of the registry's schema of 2025-12-11 that we use. */
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

test('the entry for the MCP registry matches its schema', () => {
  expect(Server.parse(server)).toEqual(server)
})

test('the registry entry, the package and the bundle have the same name and version', () => {
  const { name, version, mcpName } = packageInfo
  expect(server).toMatchObject({ name: mcpName, version, packages: [{ identifier: name, version }] })
  expect(npmManifest()).toMatchObject({ name, version, mcpName })
  expect(desktopManifest()).toMatchObject({ name, version })
})

test('marks the token as a secret in every manifest', () => {
  const settings = server.packages[0]?.environmentVariables ?? []
  expect(settings.map(({ name, isSecret = false }) => [name, isSecret])).toEqual([
    ['SVC_BASE_URL', false],
    ['SVC_API_TOKEN', true],
  ])
  expect(desktopManifest().user_config.token.sensitive).toBe(true)
})

test('the published manifest has no fields that only a checkout needs', () => {
  expect(npmManifest()).not.toHaveProperty('private')
  expect(npmManifest()).not.toHaveProperty('scripts')
  expect(packageInfo.private).toBe(true)
})
