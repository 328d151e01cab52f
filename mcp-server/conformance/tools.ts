import { setTimeout as sleep } from 'node:timers/promises'
import { type ElicitRequestFormParams, inputRequired, type ServerContext } from '@modelcontextprotocol/server'
import { type FixtureTool, text } from './tool.ts'

/** A PNG of one pixel. */
export const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='

/** A WAV without samples. */
const silence = Buffer.from(
  '524946462400000057415645666d7420100000000100010044ac000088580100020010006461746100000000',
  'hex',
).toString('base64')

const image = { type: 'image' as const, data: pixel, mimeType: 'image/png' }

/** Tools with each kind of content. */
export const contentTools: readonly FixtureTool[] = [
  { name: 'test_simple_text', run: () => text('This is a simple text response for testing.') },
  { name: 'test_image_content', run: () => ({ content: [image] }) },
  { name: 'test_audio_content', run: () => ({ content: [{ type: 'audio', data: silence, mimeType: 'audio/wav' }] }) },
  {
    name: 'test_embedded_resource',
    run: () => ({
      content: [
        {
          type: 'resource',
          resource: { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'An embedded resource.' },
        },
      ],
    }),
  },
  {
    name: 'test_multiple_content_types',
    run: () => ({
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        image,
        {
          type: 'resource',
          resource: { uri: 'test://mixed', mimeType: 'application/json', text: '{"test":"data","value":123}' },
        },
      ],
    }),
  },
  {
    name: 'test_tool_with_logging',
    run: async (_args, ctx) => {
      for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await ctx.mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data } })
        await sleep(50)
      }
      return text('logged')
    },
  },
  {
    name: 'test_tool_with_progress',
    run: async (_args, ctx) => {
      const progressToken = ctx.mcpReq._meta?.progressToken
      for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
        await ctx.mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100, message: `${progress} of 100` },
        })
        await sleep(50)
      }
      return text('done')
    },
  },
  {
    name: 'test_error_handling',
    run: () => {
      throw new Error('This tool intentionally returns an error for testing')
    },
  },
  {
    name: 'test_reconnection',
    run: async (_args, ctx) => {
      ctx.http?.closeSSE?.()
      await sleep(100)
      return text('The client came back.')
    },
  },
  { name: 'test_streaming_elicitation', run: () => text('nothing was asked') },
  {
    name: 'test_logging_tool',
    run: async (_args, ctx) => {
      await ctx.mcpReq.log('info', 'told to those alone who asked for a level')
      return text('logged')
    },
  },
  {
    name: 'test_missing_capability',
    run: (_args, ctx) =>
      ctx.mcpReq.inputResponses?.['answer']
        ? text('answered')
        : inputRequired({
            inputRequests: {
              answer: inputRequired.createMessage({
                messages: [{ role: 'user', content: { type: 'text', text: 'Say: pong' } }],
                maxTokens: 16,
              }),
            },
          }),
  },
]

/** Asks on the stream of the call, because the general stream may not be open yet and would lose the question. */
const onItsStream = (ctx: ServerContext) => ({ relatedRequestId: ctx.mcpReq.id })

const form = (properties: ElicitRequestFormParams['requestedSchema']['properties']) => ({
  type: 'object' as const,
  properties,
})

function question(name: string, message: string, requestedSchema: ElicitRequestFormParams['requestedSchema']) {
  return {
    name,
    run: async (args, ctx) => {
      const asked = typeof args['message'] === 'string' ? args['message'] : message
      const answer = await ctx.mcpReq.elicitInput({ mode: 'form', message: asked, requestedSchema }, onItsStream(ctx))
      const content = JSON.stringify(answer.content ?? {})
      return text(`Elicitation completed: action=${answer.action}, content=${content}`)
    },
  } satisfies FixtureTool
}

const options = ['option1', 'option2', 'option3']
const titled = [
  { const: 'value1', title: 'First Option' },
  { const: 'value2', title: 'Second Option' },
  { const: 'value3', title: 'Third Option' },
]

/** Tools that ask the client while they run, as in the older era. */
export const questions: readonly FixtureTool[] = [
  {
    name: 'test_sampling',
    properties: { prompt: { type: 'string' } },
    required: ['prompt'],
    run: async ({ prompt }, ctx) => {
      const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: String(prompt) } }]
      const { content } = await ctx.mcpReq.requestSampling({ messages, maxTokens: 100 }, onItsStream(ctx))
      return text(`LLM response: ${'text' in content ? content.text : JSON.stringify(content)}`)
    },
  },
  {
    ...question('test_elicitation', 'Please answer', form({ response: { type: 'string' } })),
    properties: { message: { type: 'string' } },
    required: ['message'],
  },
  question(
    'test_elicitation_sep1034_defaults',
    'Please review',
    form({
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    }),
  ),
  question(
    'test_elicitation_sep1330_enums',
    'Please choose',
    form({
      untitledSingle: { type: 'string', enum: options },
      titledSingle: { type: 'string', oneOf: titled },
      legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
      untitledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { type: 'string', enum: options } },
      titledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { anyOf: titled } },
    }),
  ),
]
