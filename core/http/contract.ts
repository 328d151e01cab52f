import type { z } from 'zod'
import type { ErrorCode } from '../base/errors.ts'

/** The input and output of a REST route. The route enforces it, and the OpenAPI document is generated from it. */
export interface Contract<Query extends z.ZodObject = z.ZodObject, Body extends z.ZodType = z.ZodType> {
  /** The operation id, which generated clients use as the function name. */
  name: string
  summary: string
  description?: string
  query?: Query
  body?: Body
  /** The fields of a multipart form that the route parses itself. */
  form?: z.ZodObject
  /** The content type of a body of bytes that the route reads itself. */
  bytes?: string
  /** Request headers that the route parses itself. */
  headers?: z.ZodObject
  /** By status. A string describes an answer that is not JSON. */
  answers: Record<number, z.ZodType | string>
  /** The content type of a successful answer that is not JSON, if it is always the same. */
  contentType?: string
  /** The errors beyond those that every route of its kind can return. */
  errors?: readonly ErrorCode[]
  /** Whether the route accepts only sessions, or a public route uses the session if there is one. */
  session?: 'required' | 'optional'
}
