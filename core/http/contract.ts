import type { z } from 'zod'
import type { ErrorCode } from '../base/errors.ts'

/** What a REST route takes and answers. The route itself holds to it, and the OpenAPI document is made from it. */
export interface Contract<Query extends z.ZodObject = z.ZodObject, Body extends z.ZodType = z.ZodType> {
  /** Its name in the document, after which generated clients call their functions. */
  name: string
  summary: string
  description?: string
  query?: Query
  body?: Body
  /** What a multipart form holds that the route reads by itself. */
  form?: z.ZodObject
  /** Request headers that the route reads by itself. */
  headers?: z.ZodObject
  /** By status; a text stands for an answer without JSON. */
  answers: Record<number, z.ZodType | string>
  /** The type of what succeeds without JSON, where it is always the same. */
  contentType?: string
  /** How it can fail beyond what every route of its kind can. */
  errors?: readonly ErrorCode[]
  /** Whether it is for sessions alone, or works better with one where nobody has to call. */
  session?: 'required' | 'optional'
}
