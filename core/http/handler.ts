import { z } from 'zod'
import type { Context } from '../base/context.ts'
import type { Contract } from './contract.ts'
import type { Answer, Route } from './route.ts'
import { parseInput } from '../base/input.ts'
import { readJson } from './body.ts'

export type RestHandler = Route & { contract: Contract }

type Koa = Parameters<Route>[1]

interface Input<Query extends z.ZodObject, Body extends z.ZodType> {
  params: Record<string, string>
  query: z.infer<Query>
  body: z.infer<Body>
}

const nothing = z.object({})

/** Creates a route that parses its input with the contract and removes every field that the contract does not name. */
export function restHandler<Query extends z.ZodObject = typeof nothing, Body extends z.ZodType = typeof nothing>(
  contract: Contract<Query, Body>,
  handle: (ctx: Context, input: Input<Query, Body>, koa: Koa) => Promise<Answer>,
): RestHandler {
  return withContract(contract, async (ctx, koa) => {
    const input = {
      params: koa.params,
      query: parseInput<z.ZodType>(contract.query ?? nothing, koa.query) as z.infer<Query>,
      body: (contract.body ? await readJson<z.ZodType>(koa, contract.body) : {}) as z.infer<Body>,
    }
    const answer = await handle(ctx, input, koa)
    const shape = contract.answers[answer.status]
    return shape instanceof z.ZodType ? { ...answer, body: shape.parse(answer.body) } : answer
  })
}

/** Adds the contract to a route that parses its own input, such as a stream or an upload. */
export function withContract(contract: Contract, route: Route): RestHandler {
  return Object.assign(route, { contract })
}
