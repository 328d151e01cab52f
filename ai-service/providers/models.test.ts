import { expect, test } from 'vitest'
import { z } from 'zod'
import { GenerateAnswer, SuggestAnswer } from './answers.ts'
import { costOf, defaultModels, modelSettings } from './models.ts'

const nothing = { model: undefined, inputTokens: undefined, outputTokens: undefined }

test('the default models have a price', () => {
  for (const provider of ['provider_a', 'provider_b'] as const) {
    expect(modelSettings(provider, nothing)).toMatchObject({ name: defaultModels[provider], inputTokens: 100_000 })
    expect(modelSettings(provider, nothing).price).toBeDefined()
  }
})

test('an unknown model has no price, and gets prompts for a small context', () => {
  for (const model of ['qwen3-coder', 'toString', '__proto__']) {
    const settings = modelSettings('provider_a', { ...nothing, model })
    expect(settings).toMatchObject({ name: model, inputTokens: 24_000, outputTokens: 4_096, price: undefined })
    expect(costOf({ inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 }, settings)).toBeUndefined()
  }
})

test('cached input costs less', () => {
  const model = modelSettings('provider_a', nothing)
  const cost = (cachedInputTokens: number) =>
    costOf({ inputTokens: 1_000_000, cachedInputTokens, outputTokens: 100_000 }, model)
  expect(cost(0)).toBeCloseTo(1.5)
  expect(cost(1_000_000)).toBeCloseTo(0.55)
})

test('the schemas fit strict modes: plain types, closed, every field required', () => {
  for (const schema of [SuggestAnswer, GenerateAnswer]) {
    const text = JSON.stringify(z.toJSONSchema(schema))
    expect(text).not.toMatch(/"(?:minimum|maximum|minLength|maxLength|pattern|format|minItems|maxItems|default|\$ref)"/)
    expect(text.match(/"type":"object"/g)?.length).toBe(text.match(/"additionalProperties":false/g)?.length)
  }
})
