import Router from '@koa/router'
import type { ParameterizedContext } from 'koa'
import packageJson from '../package.json' with { type: 'json' }
import { AppError, analysisFailed } from './errors.ts'
import type { State } from './http/announce.ts'
import { readJson } from './http/read-json.ts'
import { ProviderFailure } from './providers/failure.ts'
import type { CallOptions, Provider } from './providers/provider.ts'
import { noSpending, spendingHeaders } from './providers/spending.ts'
import {
  ActiveProvider,
  AnalyzeRequest,
  AnalyzeResponse,
  GenerateTestsRequest,
  GenerateTestsResponse,
  Health,
  ServiceInfo,
  SuggestTestsRequest,
  SuggestTestsResponse,
} from './schema.ts'

/** `/analyze` is deprecated since the first release, and stays for at least half a year after it. */
const deprecation = {
  Deprecation: `@${Date.UTC(2026, 10, 20) / 1_000}`,
  Sunset: new Date(Date.UTC(2027, 5, 1)).toUTCString(),
  Link: '</suggest-tests>; rel="successor-version"',
}

/** Every method and path of the service. */
export function createRouter(provider: Provider): Router<State> {
  const router = new Router<State>()

  router.get('/', (ctx) => {
    ctx.body = ServiceInfo.parse({ message: 'Assay AI service', version: packageJson.version, status: 'healthy' })
  })

  router.get('/health', (ctx) => {
    ctx.body = Health.parse({
      status: 'healthy',
      timestamp: new Date().toISOString(),
      ai_provider: provider.name,
    })
  })

  router.get('/provider', (ctx) => {
    ctx.body = ActiveProvider.parse({ provider: provider.name })
  })

  router.post('/suggest-tests', async (ctx) => {
    const request = await readJson(ctx, SuggestTestsRequest).catch((error: unknown) => {
      // The specification requires 500 for malformed input and for a failure of the provider.
      throw error instanceof AppError && error.code === 'VALIDATION_ERROR' ? analysisFailed(error.message) : error
    })
    const { analysis, max_suggestions: maxSuggestions, sources, style_examples, avoid } = request
    ctx.body = await ask(ctx, async (call) => {
      const answer = await provider.suggestTests(analysis, { ...call, maxSuggestions, sources, style_examples, avoid })
      return SuggestTestsResponse.parse({
        commit_sha: analysis.commitSha,
        suggestion_count: answer.suggestions.length,
        ...answer,
      })
    }).catch((error: unknown) => {
      if (error instanceof AppError) throw error
      const advice = 'Try again, or see the log of the AI service.'
      throw analysisFailed(`${provider.name} failed to suggest tests. ${advice}`, error)
    })
  })

  router.post('/analyze', async (ctx) => {
    ctx.set(deprecation)
    const request = await readJson(ctx, AnalyzeRequest)
    ctx.body = await ask(ctx, async (call) => {
      const advice = await provider.analyze(request, call)
      return AnalyzeResponse.parse({
        repository_url: request.repository_url,
        language: request.language ?? null,
        framework: request.framework ?? null,
        branch: request.branch ?? null,
        ...advice,
        deprecated: true,
      })
    })
  })

  router.post('/generate-tests', async (ctx) => {
    const request = await readJson(ctx, GenerateTestsRequest)
    const { code_analysis, test_type, framework, target, count, suggestion, sources, style_examples, avoid } = request
    ctx.body = await ask(ctx, async (call) => {
      const generated = await provider.generateTests(code_analysis, {
        ...call,
        testType: test_type === 'all' ? undefined : (test_type ?? undefined),
        framework: framework ?? undefined,
        target,
        count,
        suggestion,
        sources,
        style_examples,
        avoid,
      })
      return GenerateTestsResponse.parse(generated)
    })
  })

  return router

  /** Asks the provider, and reports its cost in the headers, also after a failure. */
  async function ask<Answer>(
    ctx: ParameterizedContext<State>,
    work: (call: CallOptions) => Promise<Answer>,
  ): Promise<Answer> {
    const spending = noSpending()
    try {
      return await work({ signal: ctx.state.signal, requestId: ctx.state.requestId, spending })
    } catch (error) {
      throw error instanceof ProviderFailure ? analysisFailed(error.message, error) : error
    } finally {
      ctx.set(spendingHeaders(provider.name, spending))
    }
  }
}
