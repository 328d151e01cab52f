import { z } from 'zod'
import type { Context } from '../base/context.ts'
import type { Contract } from './contract.ts'
import type { Answer, Route } from './route.ts'
import { parseInput } from '../base/input.ts'
import { readJson } from './body.ts'

export type Door = Route & { contract: Contract }

type Koa = Parameters<Route>[1]

interface Input<Query extends z.ZodObject, Body extends z.ZodType> {
  params: Record<string, string>
  query: z.infer<Query>
  body: z.infer<Body>
}

const nothing = z.object({})

/** A route that reads what its contract says, and lets nothing out that the contract does not name. */
export function door<Query extends z.ZodObject = typeof nothing, Body extends z.ZodType = typeof nothing>(
  contract: Contract<Query, Body>,
  open: (ctx: Context, input: Input<Query, Body>, koa: Koa) => Promise<Answer>,
): Door {
  return described(contract, async (ctx, koa) => {
    const input = {
      params: koa.params,
      query: parseInput<z.ZodType>(contract.query ?? nothing, koa.query) as z.infer<Query>,
      body: (contract.body ? await readJson<z.ZodType>(koa, contract.body) : {}) as z.infer<Body>,
    }
    const answer = await open(ctx, input, koa)
    const shape = contract.answers[answer.status]
    return shape instanceof z.ZodType ? { ...answer, body: shape.parse(answer.body) } : answer
  })
}

/** A route that reads and answers by itself, with the contract that it keeps. */
export function described(contract: Contract, route: Route): Door {
  return Object.assign(route, { contract })
}
