import {
  acceptedContent,
  type ElicitRequestFormParams,
  inputRequired,
  type InputRequests,
} from '@modelcontextprotocol/server'
import { declaredWith } from '../protocol/tasks.ts'
import { type FixtureTool, text } from './tool.ts'

type Property = ElicitRequestFormParams['requestedSchema']['properties'][string]
const elicit = (message: string, field: string, type: 'string' | 'boolean') => {
  const property: Property = type === 'string' ? { type } : { type }
  const properties = { [field]: property }
  return inputRequired.elicit({ message, requestedSchema: { type: 'object', properties, required: [field] } })
}
const askName = () => elicit('What is your name?', 'name', 'string')
const askOk = () => elicit('Please confirm', 'ok', 'boolean')
const say = (words: string) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text: words } }], maxTokens: 50 })

type Mint = (state: Record<string, unknown>) => Promise<string>

/** Tools that return questions and are called again with the answers, as in the newest era. */
export const rounds = (mint: Mint): readonly FixtureTool[] => [
  {
    name: 'test_input_required_result_elicitation',
    run: (_args, { mcpReq }) => {
      const name = acceptedContent<{ name: string }>(mcpReq.inputResponses, 'user_name')?.name
      if (typeof name === 'string') return text(`Hello, ${name}!`)
      return inputRequired({ inputRequests: { user_name: askName() } })
    },
  },
  {
    name: 'test_input_required_result_sampling',
    run: (_args, { mcpReq }) => {
      const answer = mcpReq.inputResponses?.['capital']
      if (answer !== undefined) return text(`Sampling response: ${JSON.stringify(answer)}`)
      return inputRequired({ inputRequests: { capital: say('What is the capital of France?') } })
    },
  },
  {
    name: 'test_input_required_result_list_roots',
    run: (_args, { mcpReq }) => {
      const answer = mcpReq.inputResponses?.['roots']
      if (answer !== undefined) return text(`Roots: ${JSON.stringify(answer)}`)
      return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } })
    },
  },
  withState('test_input_required_result_request_state', 'state-ok', mint),
  withState('test_input_required_result_tampered_state', 'integrity-ok', mint),
  {
    name: 'test_input_required_result_multiple_inputs',
    run: async (_args, { mcpReq }) => {
      const inputRequests = { user_name: askName(), greeting: say('Greet somebody'), roots: inputRequired.listRoots() }
      const answers = mcpReq.inputResponses ?? {}
      if (Object.keys(inputRequests).every((key) => key in answers)) return text(JSON.stringify(answers))
      return inputRequired({ inputRequests, requestState: await mint({}) })
    },
  },
  {
    name: 'test_input_required_result_multi_round',
    run: async (_args, { mcpReq }) => {
      const { round = 0 } = mcpReq.requestState<{ round?: number }>() ?? {}
      if (round === 2) return text('Multi-round complete')
      const inputRequests: InputRequests =
        round === 0 ? { step1: askName() } : { step2: elicit('Favourite colour?', 'color', 'string') }
      return inputRequired({ inputRequests, requestState: await mint({ round: round + 1 }) })
    },
  },
  {
    name: 'test_input_required_result_capabilities',
    run: (_args, ctx) => {
      if (ctx.mcpReq.inputResponses !== undefined) return text('answered')
      const declared = declaredWith(ctx)
      const inputRequests: InputRequests = {
        ...(declared['elicitation'] ? { user_name: askName() } : {}),
        ...(declared['sampling'] ? { greeting: say('Greet somebody') } : {}),
        ...(declared['roots'] ? { roots: inputRequired.listRoots() } : {}),
      }
      if (Object.keys(inputRequests).length === 0) return text('This client cannot be asked.')
      return inputRequired({ inputRequests })
    },
  },
]

/** A tool that accepts an answer only with the state of its question. */
function withState(name: string, done: string, mint: Mint): FixtureTool {
  return {
    name,
    run: async (_args, { mcpReq }) => {
      const confirmed = acceptedContent(mcpReq.inputResponses, 'confirm') !== undefined
      if (confirmed && mcpReq.requestState() !== undefined) return text(done)
      return inputRequired({ inputRequests: { confirm: askOk() }, requestState: await mint({ name }) })
    },
  }
}
