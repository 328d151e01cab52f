import { pino } from 'pino'
import { expect, test } from 'vitest'
import { configOf } from '../testing/serve.ts'
import { selectProvider } from './select.ts'
import { createProvider } from './create-provider.ts'

const keyA = { PROVIDER_A_API_KEY: 'a' }
const keyB = { PROVIDER_B_API_KEY: 'b' }

test.each([
  [{}, 'mock', 'default'],
  [keyA, 'provider_a', 'PROVIDER_A_API_KEY'],
  [keyB, 'provider_b', 'PROVIDER_B_API_KEY'],
  [{ ...keyA, ...keyB }, 'provider_a', 'PROVIDER_A_API_KEY'],
  [{ PROVIDER_A_API_KEY: '', ...keyB }, 'provider_b', 'PROVIDER_B_API_KEY'],
  [{ AI_PROVIDER: 'mock' as const, ...keyA, ...keyB }, 'mock', 'AI_PROVIDER'],
  [{ AI_PROVIDER: 'mock' as const, ...keyB }, 'mock', 'AI_PROVIDER'],
  [{ AI_PROVIDER: 'provider_b' as const, ...keyA }, 'provider_b', 'AI_PROVIDER'],
  [{ AI_PROVIDER: 'provider_a' as const, ...keyB }, 'provider_a', 'AI_PROVIDER'],
  [{ AI_PROVIDER: 'provider_a' as const }, 'provider_a', 'AI_PROVIDER'],
])('%o selects %s because of %s', (settings, name, by) => {
  expect(selectProvider(settings)).toEqual({ name, by })
})

test.each(['mock', 'provider_a', 'provider_b'] as const)('%s can be created only from settings', (name) => {
  const config = configOf({ AI_PROVIDER: name, PROVIDER_A_API_KEY: 'key-of-a', PROVIDER_B_API_KEY: 'key-of-b' })
  expect(createProvider(config, pino({ level: 'silent' })).name).toBe(name)
})
